//! What a host asks that gives a session a window of its own: which session it is, who shows it, and whether the end of
//! the last window ends work. It knows windows only as clients; called by the shell.

use super::App;
use talaria_wire::*;

impl App {
    /// The session as it goes on now: the tip of its lineage.
    ///
    /// # Errors
    /// `not_found`; `not_ready` while the store is being opened.
    pub async fn session_to_open(&self, id: SessionId) -> Result<SessionRow, IpcError> {
        Ok(self.boot.ready()?.store.session_get(SessionRef { id }).await?)
    }

    /// Notes that the client is about to show the session, unless a client for which `counts` says yes shows it already:
    /// then that one is the answer, and nothing is noted.
    pub fn claim(
        &self,
        client: &ClientId,
        id: &SessionId,
        counts: impl Fn(&ClientId) -> bool,
    ) -> Option<ClientId> {
        self.shown.claim(client, id, counts)
    }

    /// The client's page is being loaded and will show the session: until it says so itself, this holds.
    pub fn will_show(&self, client: &ClientId, id: SessionId) {
        self.shown.set(client, id);
    }

    /// Asks the client before its window, the last one, closes while work runs. `false`: nothing runs, or nobody is
    /// there to be asked; then it may close.
    pub async fn ask_before_quit(&self, client: &ClientId) -> bool {
        // Not open, or closed: nothing runs.
        let Ok(ready) = self.boot.ready() else { return false };
        let running = ready.gateway.running_list(client, Empty {}).await;
        running.is_ok_and(|list| !list.sessions.is_empty()) && self.sinks.send_to(client, AppEvent::QuitAsked)
    }
}
