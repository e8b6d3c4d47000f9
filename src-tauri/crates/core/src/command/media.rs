//! `media_open`: check 6 (the session names it) here, checks 1 to 5 in `media`, then the address for this platform. And what
//! a host may show in its folder, by the same rule.

use super::{App, off_thread};
use crate::media::{Loopback, Media, tags};
use std::path::PathBuf;
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

impl App {
    /// The file that the host may show in its folder: a message of the session links to it, and it lies in no private
    /// place. For `file_reveal`, which opens nothing but the file manager.
    ///
    /// # Errors
    /// `blocked`, `missing`, `not_found`, `not_ready`.
    pub async fn file_to_reveal(&self, request: FileRevealRequest) -> Result<PathBuf, IpcError> {
        let FileRevealRequest { session_id, path } = request;
        let texts = self.boot.ready()?.gateway.texts_holding(&session_id, &path).await?;
        let media = self.media.media.clone();
        off_thread(move || {
            if !is_link(&path) || !texts.iter().any(|text| links_to(text, &path)) {
                return Err(IpcError::new(
                    ErrorCode::Blocked,
                    "No message of this session links to this file. Talaria shows only files that the session names.",
                ));
            }
            media.locate(&path).map_err(IpcError::from)
        })
        .await?
    }
}

fn is_link(path: &str) -> bool {
    path.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

/// Whether the text holds exactly this address, not only as a part of a longer one.
fn links_to(text: &str, address: &str) -> bool {
    let begins = |c: char| c.is_whitespace() || matches!(c, '(' | '<');
    let ends = |c: char| c.is_whitespace() || matches!(c, ')' | '>');
    text.match_indices(address).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + address.len()..]);
        before.chars().next_back().is_none_or(begins) && behind.chars().next().is_none_or(ends)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_named_whole_or_not_at_all() {
        let text = "See [a](file:///srv/a.txt), [b]( <file:///srv/b c> \"title\")\n[c]: file:///srv/c";
        for address in ["file:///srv/a.txt", "file:///srv/b c", "file:///srv/c"] {
            assert!(links_to(text, address), "{address}");
        }
        for address in ["file:///srv/a", "file:///srv", "file:///", "///srv/a.txt", "file:///srv/d"] {
            assert!(!links_to(text, address), "{address}");
        }
        assert!(is_link("FILE:///x") && !is_link("/srv/a.txt") && !is_link("\u{fc}\u{fc}\u{fc}"));
    }
}
