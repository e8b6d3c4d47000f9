//! Windows: how one is opened, and what ends with it.

use crate::csp;
use talaria_core::command::App;
use talaria_wire::ClientId;
use tauri::webview::{PageLoadEvent, WebviewWindowBuilder};
use tauri::{AppHandle, Manager, Runtime, Url, WebviewUrl, Window, WindowEvent};

/// The first window's label.
pub(crate) const MAIN: &str = "main";

/// Opens the main window. It never navigates away from the app's own page, and whatever it was granted ends when it
/// loads anew.
pub(crate) fn open_main<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    let handle = app.clone();
    WebviewWindowBuilder::new(app, MAIN, WebviewUrl::default())
        .title("Talaria")
        .inner_size(1280.0, 800.0)
        .min_inner_size(560.0, 420.0)
        .on_navigation(is_own_page)
        .on_page_load(move |window, payload| {
            if payload.event() == PageLoadEvent::Started {
                handle.state::<App>().client_gone(&ClientId::from(window.label()));
            }
        })
        .build()?;
    Ok(())
}

/// A window that is gone hears nothing and may read nothing.
pub(crate) fn on_event<R: Runtime>(window: &Window<R>, event: &WindowEvent) {
    if matches!(event, WindowEvent::Destroyed) {
        window.state::<App>().client_gone(&ClientId::from(window.label()));
    }
}

/// The app's page under its two spellings (`tauri://localhost`, `http://tauri.localhost`), and the empty page that a
/// web view starts from.
fn is_own_page(url: &Url) -> bool {
    match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        "http" | "https" => url.host_str() == Some("tauri.localhost"),
        "about" => true,
        _ => false,
    }
}

/// Puts the policy with the reserved port into the configuration, before the first page is made.
pub(crate) fn set_policy<R: Runtime>(context: &mut tauri::Context<R>, fallback: Option<&str>) {
    context.config_mut().app.security.csp = Some(tauri::utils::config::Csp::Policy(csp::policy(fallback)));
}

#[cfg(test)]
mod tests {
    use super::is_own_page;
    use tauri::Url;

    #[test]
    fn the_window_never_leaves_its_own_page() {
        for own in
            ["tauri://localhost", "tauri://localhost/index.html?connecting=1", "http://tauri.localhost/"]
        {
            assert!(is_own_page(&Url::parse(own).unwrap()), "{own}");
        }
        for foreign in [
            "https://example.org/",
            "tauri://evil/",
            "file:///etc/passwd",
            "http://tauri.localhost.evil.org/",
        ] {
            assert!(!is_own_page(&Url::parse(foreign).unwrap()), "{foreign}");
        }
    }
}
