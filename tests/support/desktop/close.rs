//! Closing a window as its frame's button does: by the message of the window manager, which these displays do not have
//! (ICCCM 4.2.8.1). The driver's own way ends the page behind the window's back.

use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{AtomEnum, ClientMessageEvent, ConnectionExt, EventMask, Window};
use x11rb::rust_connection::RustConnection;

const DEADLINE: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(50);

/// Asks the window with this title to close, as soon as there is one on the display (`:5`).
pub(super) fn close(display: &str, title: &str) {
    let (connection, screen) = x11rb::connect(Some(display)).expect("the display answers");
    let root = connection.setup().roots[screen].root;
    let deadline = Instant::now() + DEADLINE;
    let window = loop {
        if let Some(window) = titled(&connection, root, title) {
            break window;
        }
        assert!(Instant::now() < deadline, "no window is called \"{title}\"");
        std::thread::sleep(POLL);
    };
    let (protocols, delete) = (atom(&connection, "WM_PROTOCOLS"), atom(&connection, "WM_DELETE_WINDOW"));
    let message = ClientMessageEvent::new(32, window, protocols, [delete, 0, 0, 0, 0]);
    connection.send_event(false, window, EventMask::NO_EVENT, message).expect("the display takes a message");
    x11rb::wrapper::ConnectionExt::sync(&connection).expect("the message is through");
}

/// The window below `parent` with this title that hears the window manager.
fn titled(connection: &RustConnection, parent: Window, title: &str) -> Option<Window> {
    let children = connection.query_tree(parent).ok()?.reply().ok()?.children;
    children.into_iter().find_map(|window| {
        let named = text(connection, window, "_NET_WM_NAME").is_some_and(|name| name == title.as_bytes());
        let hears = text(connection, window, "WM_PROTOCOLS").is_some_and(|list| !list.is_empty());
        if named && hears { Some(window) } else { titled(connection, window, title) }
    })
}

fn text(connection: &RustConnection, window: Window, property: &str) -> Option<Vec<u8>> {
    let property = atom(connection, property);
    let asked = connection.get_property(false, window, property, AtomEnum::ANY, 0, 1024).ok()?;
    asked.reply().ok().map(|reply| reply.value)
}

fn atom(connection: &RustConnection, name: &str) -> u32 {
    let asked = connection.intern_atom(false, name.as_bytes()).expect("the display takes a question");
    asked.reply().expect("the display answers").atom
}
