//! Spell checking in text fields. The page asks for it field by field; WebKitGTK does it only when the host says so, in
//! the languages of the user's locale whose dictionaries are installed. Other systems have it on.

use tauri::{Runtime, WebviewWindow};

/// Switches it on for the window's web view.
///
/// # Errors
/// When the window is gone already.
#[cfg(target_os = "linux")]
pub(crate) fn enable<R: Runtime>(window: &WebviewWindow<R>) -> tauri::Result<()> {
    use webkit2gtk::{WebContextExt, WebViewExt};
    window.with_webview(|webview| {
        if let Some(context) = webview.inner().context() {
            context.set_spell_checking_enabled(true);
        }
    })
}

/// The web view sees to it itself.
///
/// # Errors
/// None.
#[cfg(not(target_os = "linux"))]
pub(crate) fn enable<R: Runtime>(_window: &WebviewWindow<R>) -> tauri::Result<()> {
    Ok(())
}
