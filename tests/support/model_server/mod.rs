//! An OpenAI-compatible server that says what a test wrote for it, byte for byte, and keeps what it was asked.
//!
//! It runs on a thread and a runtime of its own, so a test may block. It never waits for a time of its own choosing: a
//! reply stops at a [`Step::Gate`] until the test opens it. (`Step::Wait` is for demos.)

mod connection;
mod reply;

pub use reply::{Reply, Step, chunk};

use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// The model's name in what the server says by itself.
pub const MODEL: &str = "test-model";

/// How long a test waits for a fact before it fails.
const DEADLINE: Duration = Duration::from_secs(60);

/// One request as it came.
#[derive(Clone, Debug, Serialize)]
pub struct Asked {
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// `null` when it is no JSON.
    pub body: Value,
}

impl Asked {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    fn is_chat(&self) -> bool {
        self.path.ends_with("/chat/completions")
    }

    /// The request's messages.
    pub fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }
}

/// What the server knows; every change of it wakes those who wait.
#[derive(Clone, Debug, Default)]
struct Facts {
    asked: Vec<Asked>,
    /// Gates that are open.
    open: BTreeSet<String>,
    /// Gates that a reply has come to.
    reached: BTreeSet<String>,
    /// Replies whose client left before their end.
    left: usize,
}

/// What connections share.
struct Shared {
    replies: Mutex<Vec<Reply>>,
    routes: Mutex<BTreeMap<String, Reply>>,
    facts: watch::Sender<Facts>,
}

impl Shared {
    /// The reply to a request: a route's, else the next of the script.
    fn reply(&self, asked: &Asked, text: &str) -> Reply {
        let route = format!("{} {}", asked.method, asked.path);
        if let Some(reply) = locked(&self.routes).get(&route) {
            return reply.clone();
        }
        if asked.method == "GET" && asked.path.ends_with("/models") {
            return Reply::json(
                200,
                &json!({ "object": "list", "data": [{ "id": MODEL, "object": "model" }] }),
            );
        }
        if asked.method != "POST" || !asked.path.ends_with("/chat/completions") {
            return Reply::error(404, "There is nothing at this address.");
        }
        let mut replies = locked(&self.replies);
        let fits = |reply: &Reply| reply.when.as_ref().is_none_or(|words| text.contains(words));
        match replies.iter().position(fits) {
            Some(at) if replies[at].always => replies[at].clone(),
            Some(at) => replies.remove(at),
            None => Reply::error(400, "The script of this test has no reply left."),
        }
    }
}

/// The server. It ends when this is dropped.
pub struct ModelServer {
    port: u16,
    shared: Arc<Shared>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl ModelServer {
    /// Listens on a free port of 127.0.0.1 with an empty script.
    pub fn start() -> Self {
        Self::on(0)
    }

    /// The same on a port of the caller's choice; 0 is any.
    pub fn on(port: u16) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime for the model server");
        let listener = runtime.block_on_outside(TcpListener::bind(("127.0.0.1", port)));
        let listener = listener.expect("the model server's port");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        let shared = Arc::new(Shared {
            replies: Mutex::default(),
            routes: Mutex::default(),
            facts: watch::Sender::default(),
        });
        runtime.spawn(accept(listener, Arc::clone(&shared)));
        Self { port, shared, runtime: Some(runtime) }
    }

    /// Its port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What a person would give as the base URL.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Adds a reply at the end of the script. A request to `.../chat/completions` gets the first reply left that fits
    /// it ([`Reply::when`]) and takes it away, unless it stays ([`Reply::always`]).
    pub fn say(&self, reply: Reply) -> &Self {
        locked(&self.shared.replies).push(reply);
        self
    }

    /// Answers `route` ("GET /props") with `reply`, each time.
    pub fn route(&self, route: &str, reply: Reply) -> &Self {
        locked(&self.shared.routes).insert(route.to_owned(), reply);
        self
    }

    /// Replies of the script that nobody has asked for.
    pub fn unsaid(&self) -> usize {
        locked(&self.shared.replies).iter().filter(|reply| !reply.always).count()
    }

    /// Every request so far, in order.
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.facts.borrow().asked.clone()
    }

    /// The requests to `.../chat/completions` so far, in order.
    pub fn chats(&self) -> Vec<Asked> {
        self.asked().into_iter().filter(Asked::is_chat).collect()
    }

    /// Opens a gate for every reply that waits at it or will come to it.
    pub fn open(&self, gate: &str) {
        self.shared.facts.send_modify(|facts| {
            facts.open.insert(gate.to_owned());
        });
    }

    /// Waits until a reply has come to the gate: everything before it is on its way to the client.
    pub async fn reached(&self, gate: &str) {
        self.until(&format!("a reply at the gate {gate:?}"), |facts| facts.reached.contains(gate)).await;
    }

    /// Waits until so many requests to `.../chat/completions` have come, and answers them.
    pub async fn wait_asked(&self, count: usize) -> Vec<Asked> {
        let chats = |facts: &Facts| facts.asked.iter().filter(|asked| asked.is_chat()).count();
        self.until(&format!("{count} requests"), |facts| chats(facts) >= count).await;
        self.chats()
    }

    /// Waits until so many clients have left before their reply's end.
    pub async fn wait_left(&self, count: usize) {
        self.until(&format!("{count} clients that left"), |facts| facts.left >= count).await;
    }

    async fn until(&self, what: &str, holds: impl FnMut(&Facts) -> bool) {
        let mut facts = self.shared.facts.subscribe();
        let waited = tokio::time::timeout(DEADLINE, facts.wait_for(holds)).await;
        assert!(matches!(waited, Ok(Ok(_))), "the model server waited for {what} for {DEADLINE:?}");
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        // In the background: a runtime must not be waited for inside another one.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Runs a future to its end from anywhere, also from inside another runtime.
trait BlockOnOutside {
    fn block_on_outside<T: Send>(&self, work: impl Future<Output = T> + Send) -> T;
}

impl BlockOnOutside for tokio::runtime::Runtime {
    fn block_on_outside<T: Send>(&self, work: impl Future<Output = T> + Send) -> T {
        std::thread::scope(|scope| {
            scope.spawn(|| self.block_on(work)).join().expect("the work of another thread ends well")
        })
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((socket, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            if connection::serve(socket, &shared).await == connection::End::Left {
                shared.facts.send_modify(|facts| facts.left += 1);
            }
        });
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
