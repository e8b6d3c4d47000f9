//! On which TCP ports a process listens, as the kernel tells.

use std::collections::BTreeSet;
use std::path::PathBuf;

/// The ports on which the process itself listens, but the one by which WebKit's driver drives it.
pub fn listening(process: u32) -> BTreeSet<u16> {
    let own: BTreeSet<String> = descriptors(process)
        .iter()
        .filter_map(|path| path.to_str()?.strip_prefix("socket:[")?.strip_suffix(']').map(str::to_owned))
        .collect();
    let driven = driven_port(process);
    ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .flat_map(|table| listeners(&std::fs::read_to_string(table).unwrap_or_default(), &own))
        .filter(|port| Some(*port) != driven)
        .collect()
}

fn descriptors(process: u32) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(format!("/proc/{process}/fd")).expect("a running process of ours");
    folder.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok()).collect()
}

/// The ports of those of the sockets that listen (proc_pid_net(5): local address, state 0A, the inode in field ten).
fn listeners(table: &str, own: &BTreeSet<String>) -> Vec<u16> {
    let port = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (_, port) = fields.get(1)?.rsplit_once(':')?;
        let listens = *fields.get(3)? == "0A" && own.contains(*fields.get(9)?);
        listens.then(|| u16::from_str_radix(port, 16).ok()).flatten()
    };
    table.lines().skip(1).filter_map(port).collect()
}

/// The driver tells the app by its environment where to be driven.
fn driven_port(process: u32) -> Option<u16> {
    let environment = std::fs::read(format!("/proc/{process}/environ")).expect("a running process of ours");
    let text = String::from_utf8_lossy(&environment);
    let address = text.split('\0').find_map(|entry| entry.strip_prefix("WEBKIT_INSPECTOR_SERVER="))?;
    address.rsplit(':').next()?.parse().ok()
}
