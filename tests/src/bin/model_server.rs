//! `model-server SCRIPT [PORT]`: the tests' scripted model server for a look at the app by hand. Prints its base URL and
//! runs until its input ends. SCRIPT is a JSON list of replies ("always": true for one that stays); a line `open NAME` on the
//! input opens a gate, `asked` prints the requests so far.

use app_tests::model_server::{ModelServer, Reply};
use std::error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (script, port) = match arguments.as_slice() {
        [script] => (script, "0"),
        [script, port] => (script, port.as_str()),
        _ => {
            eprintln!("usage: model-server SCRIPT [PORT]");
            return ExitCode::from(2);
        }
    };
    match run(script, port) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("model-server: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(script: &str, port: &str) -> Result<(), Box<dyn Error>> {
    let replies: Vec<Reply> = serde_json::from_slice(&std::fs::read(script)?)?;
    let server = ModelServer::on(port.parse()?);
    for reply in replies {
        server.say(reply);
    }
    println!("{}", server.base_url());
    for line in std::io::stdin().lines() {
        let line = line?;
        match line.split_once(' ') {
            Some(("open", gate)) => server.open(gate.trim()),
            _ if line.trim() == "asked" => println!("{}", serde_json::to_string_pretty(&server.asked())?),
            _ => eprintln!("model-server: \"open NAME\" or \"asked\""),
        }
    }
    Ok(())
}
