//! Windows: how one is opened, and what ends with it.

use crate::{csp, page_process, spelling};
use talaria_core::command::App;
use talaria_wire::ClientId;
use tauri::webview::{NewWindowResponse, PageLoadEvent, WebviewWindowBuilder};
use tauri::{AppHandle, Manager, Runtime, Url, WebviewUrl, Window, WindowEvent};

/// The first window's label.
pub(crate) const MAIN: &str = "main";

/// Opens the main window. It never navigates away from the app's own page, no page opens another web view (a link's
/// target, `window.open`), and whatever it was granted ends when it loads anew.
pub(crate) fn open_main<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    let handle = app.clone();
    let window = WebviewWindowBuilder::new(app, MAIN, WebviewUrl::default())
        .title("Talaria")
        .inner_size(1280.0, 800.0)
        .min_inner_size(560.0, 420.0)
        .on_navigation(is_own_page)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_page_load(move |window, payload| {
            if payload.event() == PageLoadEvent::Started {
                handle.state::<App>().page_gone(&ClientId::from(window.label()));
            }
        })
        .build()?;
    spelling::enable(&window)?;
    page_process::watch(&window)
}

/// Shows the main window in front of all others, for another start of the app. `false` when there is none.
pub(crate) fn come_forward<R: Runtime>(app: &AppHandle<R>) -> bool {
    show(app, &ClientId::from(MAIN))
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

/// A window that is gone hears nothing and may read nothing.
pub(crate) fn on_event<R: Runtime>(window: &Window<R>, event: &WindowEvent) {
    if matches!(event, WindowEvent::Destroyed) {
        window.state::<App>().client_gone(&ClientId::from(window.label()));
    }
}

/// Where the app's own page lies, as this system's web view spells it (on the others the name of the second is an address
/// like any other, and whoever listens there could answer).
const OWN_PAGE: &str = if cfg!(windows) { "http://tauri.localhost/" } else { "tauri://localhost/" };

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
    use super::{OWN_PAGE, is_own_page};
    use tauri::Url;

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
