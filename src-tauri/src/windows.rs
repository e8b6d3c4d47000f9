//! Windows: the main one, and one for each session that got its own; how they open, come forward and close, and what ends
//! with them. Which session a window is for stands in its page's address; who shows what is known to the core.

use crate::placing::{Rect, cascaded};
use crate::{csp, page_process, spelling};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use talaria_core::command::App;
use talaria_wire::{ClientId, IpcError, SessionId};
use tauri::webview::{NewWindowResponse, PageLoadEvent, WebviewWindowBuilder};
use tauri::{
    AppHandle, CloseRequestApi, Manager, Runtime, Url, WebviewUrl, WebviewWindow, Window, WindowEvent,
};

/// The main window's label.
pub(crate) const MAIN: &str = "main";
/// What the labels of session windows begin with (`capabilities/session.json`).
const SESSION: &str = "session-";
/// Of a window without a session, and of the main one.
const TITLE: &str = "Talaria";
/// Logical pixels: a transcript's column and what stands beside it.
const SESSION_SIZE: (f64, f64) = (840.0, 760.0);
/// Logical pixels.
const SMALLEST: (f64, f64) = (560.0, 420.0);
/// Logical pixels from one window to the next.
const STEP: f64 = 32.0;

/// What is to be known of the windows beside what the window library knows.
#[derive(Default)]
pub(crate) struct Windows {
    /// Session windows so far. A label is never used again, so that nothing late meets another window.
    opened: AtomicU32,
    /// The label of the window that had the focus last.
    used: Mutex<Option<String>>,
}

impl Windows {
    fn next_label(&self) -> String {
        format!("{SESSION}{}", self.opened.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn note_used(&self, label: &str) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Some(label.to_owned());
    }

    fn last_used(&self) -> Option<String> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Opens the main window.
pub(crate) fn open_main<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    let builder = WebviewWindowBuilder::new(app, MAIN, WebviewUrl::default());
    let address = Url::parse(OWN_PAGE).expect("a constant that the tests parse");
    open(builder.title(TITLE).inner_size(1280.0, 800.0), &address, None)
}

/// Brings the main window forward; it is made anew when it was closed.
///
/// # Errors
/// When the window library makes none.
pub(crate) fn show_main<R: Runtime>(app: &AppHandle<R>) -> Result<(), IpcError> {
    if show(app, &ClientId::from(MAIN)) {
        return Ok(());
    }
    open_main(app).map_err(not_opened)
}

/// Opens a session in a window of its own, or brings the one forward that has it.
///
/// # Errors
/// `not_found`; `not_ready` while the store is being opened; when the window library makes none.
pub(crate) async fn open_session<R: Runtime>(from: &WebviewWindow<R>, id: SessionId) -> Result<(), IpcError> {
    let (app, core) = (from.app_handle(), from.state::<App>());
    let row = core.session_to_open(id).await?;
    let client = ClientId::from(app.state::<Windows>().next_label());
    let is_session = |other: &ClientId| other.as_str().starts_with(SESSION);
    if let Some(holder) = core.claim(&client, &row.id, is_session) {
        // Closed this moment, it is opened again by the next click.
        show(app, &holder);
        return Ok(());
    }
    let title = row.title.or(row.preview).unwrap_or_else(|| TITLE.to_owned());
    let address = session_page(&row.id);
    let page = format!("{PAGE}?{}", address.query().unwrap_or_default());
    let mut builder =
        WebviewWindowBuilder::new(app, client.as_str(), WebviewUrl::App(page.into())).title(title);
    builder = match place_beside(from) {
        Some((x, y, width, height)) => builder.position(x, y).inner_size(width, height),
        None => builder.inner_size(SESSION_SIZE.0, SESSION_SIZE.1),
    };
    open(builder, &address, Some(row.id)).map_err(|error| {
        core.client_gone(&client);
        not_opened(error)
    })
}

/// What all windows have. None navigates away from the app's own page, no page opens another web view (a link's target,
/// `window.open`), whatever it was granted ends when it loads anew, and its title is its page's. `address` is that page.
fn open<R: Runtime>(
    builder: WebviewWindowBuilder<'_, R, AppHandle<R>>,
    address: &Url,
    session: Option<SessionId>,
) -> tauri::Result<()> {
    let window = builder
        .min_inner_size(SMALLEST.0, SMALLEST.1)
        .on_navigation(is_own_page)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_document_title_changed(|window, title| {
            let title = if title.trim().is_empty() { TITLE } else { title.as_str() };
            if let Err(error) = window.set_title(title) {
                tracing::debug!(%error, "the window kept its title");
            }
        })
        .on_page_load(move |window, payload| {
            if payload.event() == PageLoadEvent::Started {
                let (core, client) = (window.state::<App>(), ClientId::from(window.label()));
                core.page_gone(&client);
                if let Some(id) = &session {
                    core.will_show(&client, id.clone());
                }
            }
        })
        .build()?;
    spelling::enable(&window)?;
    page_process::watch(&window, address)
}

fn not_opened(error: tauri::Error) -> IpcError {
    IpcError::internal(format!("The system made no window: {error}. Close some windows, then try again."))
}

/// The address of a session's page.
fn session_page(id: &SessionId) -> Url {
    let mut url = Url::parse(&format!("{OWN_PAGE}{PAGE}")).expect("constants that the tests parse");
    url.query_pairs_mut().append_pair("session", id.as_str());
    url
}

/// Place and size of a session window beside this one, in logical pixels; none where the system tells no screen.
fn place_beside<R: Runtime>(window: &WebviewWindow<R>) -> Option<(f64, f64, f64, f64)> {
    let monitor = window.current_monitor().ok().flatten()?;
    let (scale, area) = (monitor.scale_factor(), monitor.work_area());
    let beside = window.outer_position().ok()?;
    let physical = |logical: f64| (logical * scale).round();
    let placed = cascaded(
        Rect { x: area.position.x, y: area.position.y, width: area.size.width, height: area.size.height },
        (beside.x, beside.y),
        (physical(SESSION_SIZE.0) as u32, physical(SESSION_SIZE.1) as u32),
        // As many steps as there are windows: a second one from the same window does not lie on the first.
        physical(STEP) as i32 * i32::try_from(window.app_handle().webview_windows().len()).unwrap_or(1),
    );
    let logical = |physical: f64| physical / scale;
    Some((
        logical(placed.x.into()),
        logical(placed.y.into()),
        logical(placed.width.into()),
        logical(placed.height.into()),
    ))
}

/// Shows the window that was used last in front of all others, for another start of the app. `false` when there is none.
pub(crate) fn come_forward<R: Runtime>(app: &AppHandle<R>) -> bool {
    let used = app.state::<Windows>().last_used().map(ClientId::from);
    let any = || app.webview_windows().into_keys().next().map(ClientId::from);
    [used, Some(ClientId::from(MAIN)), any()].into_iter().flatten().any(|client| show(app, &client))
}

/// Shows a client's window in front of all others. `false` when it has none.
pub(crate) fn show<R: Runtime>(app: &AppHandle<R>, client: &ClientId) -> bool {
    let Some(window) = app.get_webview_window(client.as_str()) else { return false };
    let shown = app.run_on_main_thread(move || {
        for step in [window.unminimize(), window.show(), window.set_focus()] {
            if let Err(error) = step {
                tracing::warn!(%error, "the window did not come forward");
            }
        }
    });
    shown.is_ok()
}

/// A window that is gone hears nothing and may read nothing; the last one asks before it goes while work runs.
pub(crate) fn on_event<R: Runtime>(window: &Window<R>, event: &WindowEvent) {
    match event {
        WindowEvent::Focused(true) => window.state::<Windows>().note_used(window.label()),
        WindowEvent::CloseRequested { api, .. } => on_close(window, api),
        WindowEvent::Destroyed => window.state::<App>().client_gone(&ClientId::from(window.label())),
        _ => {}
    }
}

/// The last window ends the app, so it is held until it is known that no work runs, or the page has asked.
fn on_close<R: Runtime>(window: &Window<R>, api: &CloseRequestApi) {
    let app = window.app_handle().clone();
    if app.webview_windows().len() > 1 {
        return;
    }
    api.prevent_close();
    let client = ClientId::from(window.label());
    tauri::async_runtime::spawn(async move {
        if !app.state::<App>().ask_before_quit(&client).await {
            app.exit(0);
        }
    });
}

/// Where the app's own page lies, as this system's web view spells it (on the others the name of the second is an address
/// like any other, and whoever listens there could answer).
const OWN_PAGE: &str = if cfg!(windows) { "http://tauri.localhost/" } else { "tauri://localhost/" };

/// The page's file: without it the window library would join a query to an address without a path.
const PAGE: &str = "index.html";

/// Whether an address is the app's own page, with whatever query and fragment, or the empty page that a web view starts
/// from.
fn is_own_page(url: &Url) -> bool {
    let address = url.as_str();
    address == "about:blank" || address.starts_with(OWN_PAGE) || format!("{address}/") == OWN_PAGE
}

/// Puts the policy with the reserved port into the configuration, before the first page is made.
pub(crate) fn set_policy<R: Runtime>(context: &mut tauri::Context<R>, fallback: Option<&str>) {
    context.config_mut().app.security.csp = Some(tauri::utils::config::Csp::Policy(csp::policy(fallback)));
}

#[cfg(test)]
mod tests {
    use super::{OWN_PAGE, Windows, is_own_page, session_page};
    use talaria_wire::SessionId;
    use tauri::Url;

    #[test]
    fn a_label_is_never_used_again() {
        let windows = Windows::default();
        assert_eq!([windows.next_label(), windows.next_label()], ["session-1", "session-2"]);
    }

    #[test]
    fn a_sessions_page_is_the_apps_own_whatever_its_id_holds() {
        for id in ["0190-ab", "a b&c=d#e?f", "..//\\evil.org", "\"><script>"] {
            let url = session_page(&SessionId::from(id));
            assert!(is_own_page(&url), "{url}");
            let given: Vec<(String, String)> = url.query_pairs().into_owned().collect();
            assert_eq!(given, [("session".to_owned(), id.to_owned())]);
            assert!(!url.as_str().contains(['"', '<', '>']), "{url}");
        }
    }

    #[test]
    fn the_window_never_leaves_its_own_page() {
        for own in ["", "index.html", "?connecting=1", "index.html?connecting=1#main"] {
            let own = format!("{OWN_PAGE}{own}");
            assert!(is_own_page(&Url::parse(&own).unwrap()), "{own}");
        }
        assert!(is_own_page(&Url::parse(OWN_PAGE.trim_end_matches('/')).unwrap()));
        for foreign in [
            "https://example.org/",
            "tauri://evil/",
            "tauri://localhost.evil.org/",
            "tauri://localhost:80/",
            "tauri://user@localhost/",
            "http://tauri.localhost:8080/",
            "http://tauri.localhost.evil.org/",
            "https://tauri.localhost/",
            "file:///etc/passwd",
            "about:srcdoc",
            "about:config",
            "data:text/html,x",
            "hermes-media://localhost/stream/x/y",
        ] {
            assert!(!is_own_page(&Url::parse(foreign).unwrap()), "{foreign}");
        }
        // The other system's spelling is a foreign address here.
        let other = if cfg!(windows) { "tauri://localhost/" } else { "http://tauri.localhost/" };
        assert!(!is_own_page(&Url::parse(other).unwrap()));
    }
}
