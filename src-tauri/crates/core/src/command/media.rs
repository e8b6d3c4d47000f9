//! `media_open`: check 6 (the session names it) here, checks 1 to 5 in `media`, then the address for this platform.

use super::{App, off_thread};
use crate::media::{Loopback, Media, tags};
use std::sync::Arc;
use talaria_wire::*;
use tokio::runtime::Handle;

/// How media reach the page: the grants, and on Linux the reserved loopback port.
#[derive(Clone)]
pub struct MediaDoor {
    pub media: Media,
    /// Set where the web view cannot play the scheme itself. It listens from the first audio or video on.
    pub loopback: Option<Arc<Loopback>>,
}

pub(super) async fn media_open(
    app: &App,
    client: &ClientId,
    request: MediaOpenRequest,
) -> Result<MediaOpenResponse, IpcError> {
    let era = app.media.media.era(client);
    let texts = app.boot.ready()?.gateway.texts_naming(&request.session_id, &request.path).await?;
    let (media, caller, path) = (app.media.media.clone(), client.clone(), request.path);
    let opened = off_thread(move || {
        if named(&texts, &path) {
            return media.open_in(&caller, era, &path).map_err(IpcError::from);
        }
        Err(IpcError::new(
            ErrorCode::Blocked,
            "No message of this session names this file. Talaria opens only files that the session names.",
        ))
    })
    .await??;
    let url = match (&app.media.loopback, opened.kind) {
        // An <img> takes the scheme everywhere; only players need the port.
        (Some(loopback), MediaKind::Audio | MediaKind::Video) => {
            loopback.listen(&app.media.media, &Handle::current()).map_err(|error| {
                // The port in the page's policy is lost; the next run has another.
                IpcError::new(
                    ErrorCode::Internal,
                    format!(
                        "The player's port could not be opened: {error}. Close Talaria and start it again."
                    ),
                )
            })?;
            loopback.url(&opened)
        }
        _ => app.media.media.scheme_url(&opened),
    };
    Ok(MediaOpenResponse {
        url,
        fallback_url: None,
        kind: opened.kind,
        mime: opened.mime,
        size: opened.size,
        name: opened.name,
    })
}

/// Whether a complete tag in one of the texts has exactly this target; a substring is not enough.
fn named(texts: &[String], path: &str) -> bool {
    texts.iter().any(|text| tags::parse(text).iter().any(|tag| tag.target == path))
}
