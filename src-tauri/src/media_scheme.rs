//! `hermes-media`: the web view's requests to the core and back. The caller is the web view's own label.

use talaria_core::command::App;
use talaria_wire::ClientId;
use tauri::{Manager, Runtime, UriSchemeContext, UriSchemeResponder, http};

/// Answers one request on a blocking thread: it reads a file.
pub(crate) fn answer<R: Runtime>(
    context: UriSchemeContext<'_, R>,
    request: http::Request<Vec<u8>>,
    responder: UriSchemeResponder,
) {
    let client = ClientId::from(context.webview_label());
    let media = context.app_handle().state::<App>().media.media.clone();
    tauri::async_runtime::spawn_blocking(move || responder.respond(media.scheme(&client, request)));
}
