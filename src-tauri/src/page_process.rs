//! The process that draws the page. On Linux it can end by itself (a crash, memory that ran out) and leaves a blank window:
//! the page is loaded anew once, then a page of its own says what is true (security.md, "Channels").
//!
//! macOS' web view is reloaded by Tauri, Windows' by itself.

use tauri::{Runtime, Url, WebviewWindow};

/// What follows an end of the page's process.
#[cfg(any(target_os = "linux", test))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// The app's page, once more.
    Reload,
    /// The failure page; its "Retry" loads the app's page.
    Failure,
}

/// Ends of the page's process so far. Pure.
#[cfg(any(target_os = "linux", test))]
#[derive(Debug, Default)]
struct Ends {
    reloaded: bool,
}

#[cfg(any(target_os = "linux", test))]
impl Ends {
    fn next(&mut self) -> Next {
        // After the failure page a person decides, and may have one more attempt of each kind.
        self.reloaded = !self.reloaded;
        if self.reloaded { Next::Reload } else { Next::Failure }
    }
}

/// No script and no file of the app: what it needs must work when the app's page does not. `PAGE` stands for the address
/// of the window's own page.
#[cfg(target_os = "linux")]
const FAILURE: &str = r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>Talaria</title>
<style>
  body { display: grid; place-items: center; min-height: 90vh; margin: 24px; font: 15px/1.5 system-ui, sans-serif }
  main { max-width: 560px }
  h1 { font-size: 20px; font-weight: 600 }
  a { display: inline-block; padding: 6px 14px; border: 1px solid; border-radius: 8px; color: inherit; text-decoration: none }
</style>
<main role="alert" aria-label="Could not start">
  <h1>The window stopped working</h1>
  <p>The process that draws this window ended twice. Your sessions are safe in the store. Try again. When this comes back,
  close other programs to free memory.</p>
  <a role="button" href="PAGE">Retry</a>
</main>
</html>"#;

/// Watches the process of the window's page, and hears when a page has ended it. `address` is that page.
///
/// # Errors
/// When the window is gone already.
#[cfg(target_os = "linux")]
pub(crate) fn watch<R: Runtime>(window: &WebviewWindow<R>, address: &Url) -> tauri::Result<()> {
    use std::cell::RefCell;
    use webkit2gtk::WebViewExt;
    let address = address.to_string();
    // A query holds no quote, but an ampersand means something in HTML.
    let failure = FAILURE.replace("PAGE", &address.replace('&', "&amp;"));
    window.with_webview(move |webview| {
        let ends = RefCell::new(Ends::default());
        webview.inner().connect_web_process_terminated(move |page, reason| {
            let next = ends.borrow_mut().next();
            tracing::error!(?reason, ?next, "the page's process ended");
            match next {
                Next::Reload => page.reload(),
                Next::Failure => page.load_alternate_html(&failure, &address, None),
            }
        });
    })
}

/// The web view sees to it itself.
///
/// # Errors
/// None.
#[cfg(not(target_os = "linux"))]
pub(crate) fn watch<R: Runtime>(_window: &WebviewWindow<R>, _address: &Url) -> tauri::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Ends, Next};

    #[test]
    fn the_page_is_loaded_anew_once_and_then_the_failure_is_said() {
        let mut ends = Ends::default();
        assert_eq!([ends.next(), ends.next(), ends.next()], [Next::Reload, Next::Failure, Next::Reload]);
    }
}
