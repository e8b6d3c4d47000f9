//! `media_open`: check 6 (the session names it) here, checks 1 to 5 in `media`, then the address by the way that this run
//! takes. And what a host may open or show in its folder, by the same rules; and where the listener left it.

use super::{App, off_thread};
use crate::media::choice::{Route, SchemePlayer, Wanted, choose, describe};
use crate::media::{Loopback, Media, Source, tags};
use crate::store::StoreError;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use talaria_wire::*;
use tokio::runtime::Handle;

/// How media reach the page: the grants, what plays the scheme, and on Linux the reserved loopback port.
#[derive(Clone)]
pub struct MediaDoor {
    pub media: Media,
    /// What the web view does with the scheme in a player.
    pub player: SchemePlayer,
    /// Set where the web view cannot play the scheme by itself. It listens from the first file on that needs it.
    pub loopback: Option<Arc<Loopback>>,
    /// What this start was asked to use; it goes before the setting.
    pub forced: Option<MediaTransport>,
    fallbacks: Arc<Mutex<Fallbacks>>,
}

/// Files that the player could not play by the scheme and went to the port with.
#[derive(Default)]
struct Fallbacks {
    count: u64,
    /// The type of the last one, and the code of its MediaError.
    last: Option<(String, Option<u32>)>,
}

impl MediaDoor {
    /// For this run: nothing of it changes until the next start but the setting.
    pub fn new(
        media: Media,
        player: SchemePlayer,
        loopback: Option<Loopback>,
        forced: Option<MediaTransport>,
    ) -> Self {
        Self { media, player, loopback: loopback.map(Arc::new), forced, fallbacks: Arc::default() }
    }

    fn wanted(&self, setting: MediaTransport) -> Wanted {
        Wanted { setting, forced: self.forced }
    }

    fn route(&self, kind: MediaKind, setting: MediaTransport) -> Route {
        choose(kind, self.wanted(setting), &self.player, self.loopback.is_some())
    }

    /// What is used now and why, and how often it had to be something else.
    pub(super) fn words(&self, setting: MediaTransport) -> String {
        let (has_port, is_open) =
            self.loopback.as_ref().map_or((false, false), |port| (true, port.is_listening()));
        let mut words = describe(self.wanted(setting), &self.player, has_port, is_open);
        let fallbacks = self.fallbacks.lock().expect("no thread panics while it holds the count");
        if let Some((mime, code)) = &fallbacks.last {
            let times = match fallbacks.count {
                1 => "Once".to_owned(),
                n => format!("{n} times"),
            };
            let code = code.map_or_else(String::new, |code| format!(", error {code}"));
            words.push_str(&format!(
                " {times} the player went to the local port, because a file did not play otherwise (last {mime}{code})."
            ));
        }
        words
    }

    /// Opens the port, if it is not open.
    fn listen(&self, loopback: &Loopback) -> Result<(), IpcError> {
        loopback.listen(&self.media, &Handle::current()).map_err(|error| {
            // The port in the page's policy is lost; the next run has another.
            IpcError::new(
                ErrorCode::Internal,
                format!("The player's port could not be opened: {error}. Close Talaria and start it again."),
            )
        })
    }
}

/// The code of a MediaError whose file stopped coming (HTML, "error codes").
const MEDIA_ERR_NETWORK: u32 = 2;
/// A type and a subtype of 127 letters each (RFC 6838, section 4.2).
const MIME_LETTERS: usize = 255;

/// The setting, as far as the store can be read: a player does not wait for it.
pub(super) async fn transport_setting(app: &App) -> MediaTransport {
    match app.boot.ready() {
        Ok(ready) => ready.store.settings_get().await.map(|settings| settings.media_transport),
        Err(_) => return MediaTransport::Auto,
    }
    .unwrap_or_default()
}

pub(super) async fn media_open(
    app: &App,
    client: &ClientId,
    request: MediaOpenRequest,
) -> Result<MediaOpenResponse, IpcError> {
    let era = app.media.media.era(client);
    let texts = app.boot.ready()?.gateway.texts_naming(&request.session_id, &request.path).await?;
    let (media, caller, path) = (app.media.media.clone(), client.clone(), request.path.clone());
    let opened = off_thread(move || {
        check_named(&texts, &path)?;
        media.open_in(&caller, era, &path).map_err(IpcError::from)
    })
    .await??;
    let position = match opened.kind {
        // A store that does not tell is no reason not to play.
        MediaKind::Audio | MediaKind::Video => {
            app.boot.ready()?.store.position(&request.session_id, &request.path).await.unwrap_or(0.0)
        }
        MediaKind::Picture => 0.0,
    };
    let door = &app.media;
    let scheme = || door.media.scheme_url(&opened);
    let (url, fallback_url) = match (door.route(opened.kind, transport_setting(app).await), &door.loopback) {
        (Route::Nowhere(words), _) => return Err(IpcError::internal(words)),
        (Route::SchemeThenLoopback, Some(loopback)) => (scheme(), Some(loopback.url(&opened))),
        (Route::Loopback, Some(loopback)) => {
            door.listen(loopback)?;
            (loopback.url(&opened), None)
        }
        _ => (scheme(), None),
    };
    Ok(MediaOpenResponse {
        url,
        fallback_url,
        kind: opened.kind,
        mime: opened.mime,
        size: opened.size,
        name: opened.name,
        position,
    })
}

pub(super) async fn media_fallback(
    app: &App,
    client: &ClientId,
    request: MediaFallbackRequest,
) -> Result<Empty, IpcError> {
    let MediaFallbackRequest { mut mime, url, media_error } = request;
    // It stands in the log and in the diagnostics: a type's letters only (RFC 6838, section 4.2).
    mime.retain(|c| c.is_ascii_alphanumeric() || "/!#$&-^_.+".contains(c));
    mime.truncate(MIME_LETTERS);
    let door = &app.media;
    let loopback = match (door.route(MediaKind::Video, transport_setting(app).await), &door.loopback) {
        (Route::SchemeThenLoopback | Route::Loopback, Some(loopback)) => loopback,
        _ => {
            return Err(IpcError::new(
                ErrorCode::Unsupported,
                "This run of Talaria has no other way for this file.",
            ));
        }
    };
    // What broke off on the way may come by another; what came whole and does not play is the file itself.
    if media_error != Some(MEDIA_ERR_NETWORK) && door.media.was_read(client, &url) {
        return Err(IpcError::new(
            ErrorCode::Unsupported,
            "The file itself cannot be played. Open it with another program.",
        ));
    }
    door.listen(loopback)?;
    tracing::warn!(mime, media_error, "the player goes to the loopback port");
    let mut fallbacks = door.fallbacks.lock().expect("no thread panics while it holds the count");
    fallbacks.count += 1;
    fallbacks.last = Some((mime, media_error));
    Ok(Empty {})
}

pub(super) async fn media_status(app: &App, _: &ClientId, _: Empty) -> Result<MediaStatus, IpcError> {
    Ok(MediaStatus { words: app.media.words(transport_setting(app).await) })
}

pub(super) async fn media_position(
    app: &App,
    _: &ClientId,
    request: MediaPositionRequest,
) -> Result<Empty, IpcError> {
    match app.boot.ready()?.store.position_set(request).await {
        Err(error @ (StoreError::NotFound(_) | StoreError::BadRequest(_))) => Err(error.into()),
        // The store is not written, and says so elsewhere; playing goes on.
        Err(error) => {
            tracing::debug!(%error, "a place in a file was not kept");
            Ok(Empty {})
        }
        Ok(()) => Ok(Empty {}),
    }
}

/// Opens the file that a message of the session names, with all checks.
pub(super) async fn source_of(app: &App, session: &SessionId, path: &str) -> Result<Source, IpcError> {
    let texts = app.boot.ready()?.gateway.texts_naming(session, path).await?;
    let (media, path) = (app.media.media.clone(), path.to_owned());
    off_thread(move || {
        check_named(&texts, &path)?;
        media.source(&path).map_err(IpcError::from)
    })
    .await?
}

/// Check 6. Errors: `blocked`.
fn check_named(texts: &[String], path: &str) -> Result<(), IpcError> {
    if named(texts, path) {
        return Ok(());
    }
    Err(IpcError::new(
        ErrorCode::Blocked,
        "No message of this session names this file. Talaria opens only files that the session names.",
    ))
}

/// Whether a complete tag in one of the texts has exactly this target; a substring is not enough.
fn named(texts: &[String], path: &str) -> bool {
    texts.iter().any(|text| tags::parse(text).iter().any(|tag| tag.target == path))
}

impl App {
    /// The file that the host may have the system's program open: it passes all checks of `media_open`, so it is no
    /// program itself.
    ///
    /// # Errors
    /// Those of `media_open`.
    pub async fn file_to_open(&self, request: FileOpenRequest) -> Result<PathBuf, IpcError> {
        Ok(source_of(self, &request.session_id, &request.path).await?.path)
    }

    /// The file that the host may show in its folder: a message of the session links to it or names it in a tag, and it
    /// lies in no private place. For `file_reveal`, which opens nothing but the file manager.
    ///
    /// # Errors
    /// `blocked`, `missing`, `not_found`, `not_ready`.
    pub async fn file_to_reveal(&self, request: FileRevealRequest) -> Result<PathBuf, IpcError> {
        let FileRevealRequest { session_id, path } = request;
        let texts = self.boot.ready()?.gateway.texts_holding(&session_id, &path).await?;
        let media = self.media.media.clone();
        off_thread(move || {
            let is_linked = is_link(&path) && texts.iter().any(|text| links_to(text, &path));
            if !is_linked && !named(&texts, &path) {
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
