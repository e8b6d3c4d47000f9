//! What carries a file to the player: the web view's scheme, or the loopback port. Decisions and their words, nothing else;
//! `command::media` asks for each file, and the settings and the diagnostics show the words.

use std::path::PathBuf;
use talaria_wire::{MediaKind, MediaTransport};

/// The command line's name of the choice, as it is said to people.
const ARGUMENT: &str = "--media-transport";
/// Known of WebKitGTK, which reads what comes over HTTP as a stream (measured: spec media.md, "Linux fallback").
const INEXACT: &str = "Ogg Vorbis and AVI files seek inexactly this way.";

/// What this run's web view does with the scheme in a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemePlayer {
    /// It plays it by itself (WKWebView, WebView2).
    Native,
    /// It plays it by our GStreamer plugin, which this start has set up.
    Plugin {
        /// The plugin's file.
        file: PathBuf,
    },
    /// It does not play it.
    Not {
        /// Why, as the end of a sentence: "its file is not there".
        why: String,
    },
}

/// What a person asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub setting: MediaTransport,
    /// The command line's word, which goes before the setting for this run.
    pub forced: Option<MediaTransport>,
}

impl Wanted {
    fn transport(self) -> MediaTransport {
        self.forced.unwrap_or(self.setting)
    }

    /// Who says so, and where that is changed.
    fn by(self) -> &'static str {
        match self.forced {
            Some(_) => "the way this start was made",
            None => "Settings, General",
        }
    }
}

/// The way of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    Scheme,
    /// The scheme, and the port when the player fails. The port does not listen before.
    SchemeThenLoopback,
    /// The port, which listens from now on.
    Loopback,
    /// None; the words say why and what to change.
    Nowhere(String),
}

/// The way of a file of this kind. `has_port` is whether a loopback port was reserved for this run.
pub fn choose(kind: MediaKind, wanted: Wanted, player: &SchemePlayer, has_port: bool) -> Route {
    use MediaTransport::{Auto, Loopback, Plugin};
    // An <img> takes the scheme everywhere; only players are in question.
    if kind == MediaKind::Picture {
        return Route::Scheme;
    }
    match (wanted.transport(), player, has_port) {
        (_, SchemePlayer::Native, _) | (Plugin, SchemePlayer::Plugin { .. }, _) => Route::Scheme,
        (Auto, SchemePlayer::Plugin { .. }, true) => Route::SchemeThenLoopback,
        (Auto, SchemePlayer::Plugin { .. }, false) => Route::Scheme,
        (Auto, SchemePlayer::Not { .. }, true) | (Loopback, _, true) => Route::Loopback,
        (Auto, SchemePlayer::Not { why }, false) => Route::Nowhere(format!(
            "Nothing can carry this file to the player: the plugin is not used ({why}), and no local port was free. \
             Close Talaria and start it again."
        )),
        (Loopback, _, false) => Route::Nowhere(format!(
            "The local port is chosen for playback ({}), but none was free. Close Talaria and start it again.",
            wanted.by()
        )),
        (Plugin, SchemePlayer::Not { why }, _) => Route::Nowhere(match wanted.forced {
            Some(_) => format!(
                "Talaria was started with {ARGUMENT}=plugin, but the plugin cannot be used: {why}. Start it without \
                 that argument to play this file."
            ),
            None => format!(
                "Settings, General, Media playback allows only the plugin, but it cannot be used: {why}. Choose \
                 Automatic there to play this file."
            ),
        }),
    }
}

/// What is used now and why, for a person. `is_open` is whether the port listens.
pub fn describe(wanted: Wanted, player: &SchemePlayer, has_port: bool, is_open: bool) -> String {
    let used = match choose(MediaKind::Video, wanted, player, has_port) {
        Route::Scheme | Route::SchemeThenLoopback if *player == SchemePlayer::Native => {
            return "The web view plays files by itself.".to_owned();
        }
        Route::Scheme | Route::SchemeThenLoopback => {
            let port = if is_open { "A local port is open, too." } else { "No port is open." };
            format!("Files are played by Talaria's own plugin. {port}")
        }
        Route::Loopback => match (wanted.transport(), player) {
            (MediaTransport::Auto, SchemePlayer::Not { why }) => {
                format!(
                    "Files are played over a local port, because the plugin cannot be used: {why}. {INEXACT}"
                )
            }
            _ => format!("Files are played over a local port, as chosen. {INEXACT}"),
        },
        Route::Nowhere(why) => return why,
    };
    match wanted.forced {
        Some(forced) => format!("{used} Talaria was started with {ARGUMENT}={}.", name(forced)),
        None => used,
    }
}

/// The transport's name on the command line and in the settings.
pub fn name(transport: MediaTransport) -> &'static str {
    match transport {
        MediaTransport::Auto => "auto",
        MediaTransport::Plugin => "plugin",
        MediaTransport::Loopback => "loopback",
    }
}

/// The transport of that name.
pub fn by_name(word: &str) -> Option<MediaTransport> {
    use MediaTransport::{Auto, Loopback, Plugin};
    [Auto, Plugin, Loopback].into_iter().find(|transport| name(*transport) == word)
}

#[cfg(test)]
mod tests {
    use super::MediaTransport::{Auto, Loopback, Plugin};
    use super::*;

    fn plugin() -> SchemePlayer {
        SchemePlayer::Plugin { file: "/usr/lib/x.so".into() }
    }

    fn none() -> SchemePlayer {
        SchemePlayer::Not { why: "its file is not there".into() }
    }

    /// A way without its words.
    fn way(route: &Route) -> &'static str {
        match route {
            Route::Scheme => "scheme",
            Route::SchemeThenLoopback => "scheme, port",
            Route::Loopback => "port",
            Route::Nowhere(_) => "nowhere",
        }
    }

    #[test]
    fn each_wish_takes_the_way_that_there_is() {
        // Wish; with the plugin and a port, without a port; without the plugin and with a port, without a port.
        for (wish, ways) in [
            (Auto, ["scheme, port", "scheme", "port", "nowhere"]),
            (Plugin, ["scheme", "scheme", "nowhere", "nowhere"]),
            (Loopback, ["port", "nowhere", "port", "nowhere"]),
        ] {
            let there_is = [(plugin(), true), (plugin(), false), (none(), true), (none(), false)];
            for ((player, has_port), expected) in there_is.iter().zip(ways) {
                // Said by the setting, and by the command line against each setting.
                let by_setting = Wanted { setting: wish, forced: None };
                let by_argument =
                    [Auto, Plugin, Loopback].map(|setting| Wanted { setting, forced: Some(wish) });
                for wanted in [by_setting].into_iter().chain(by_argument) {
                    for kind in [MediaKind::Audio, MediaKind::Video] {
                        let route = choose(kind, wanted, player, *has_port);
                        assert_eq!(
                            way(&route),
                            expected,
                            "{kind:?}, {wanted:?}, {player:?}, port: {has_port}"
                        );
                    }
                    let picture = choose(MediaKind::Picture, wanted, player, *has_port);
                    assert_eq!(picture, Route::Scheme, "{wanted:?}");
                    let native = choose(MediaKind::Audio, wanted, &SchemePlayer::Native, *has_port);
                    assert_eq!(native, Route::Scheme, "{wanted:?}");
                }
            }
        }
    }

    #[test]
    fn who_allows_only_the_plugin_is_told_why_it_fails_and_where_to_change_it() {
        for (forced, place) in [(None, "Settings, General"), (Some(Plugin), "--media-transport=plugin")] {
            let wanted = Wanted { setting: Plugin, forced };
            let Route::Nowhere(words) = choose(MediaKind::Audio, wanted, &none(), true) else {
                panic!("{forced:?} goes nowhere")
            };
            assert!(words.contains("its file is not there") && words.contains(place), "{words}");
        }
    }

    #[test]
    fn the_words_say_what_is_used_why_and_whether_a_port_is_open() {
        let automatic = Wanted { setting: Auto, forced: None };
        let words = describe(automatic, &plugin(), true, false);
        assert_eq!(words, "Files are played by Talaria's own plugin. No port is open.");
        assert!(describe(automatic, &plugin(), true, true).contains("local port is open, too"));
        let words = describe(automatic, &none(), true, true);
        assert!(
            words.contains("its file is not there") && words.contains("AVI files seek inexactly"),
            "{words}"
        );
        let words = describe(Wanted { setting: Plugin, forced: Some(Loopback) }, &plugin(), true, true);
        assert!(words.contains("over a local port, as chosen"), "{words}");
        assert!(words.ends_with("started with --media-transport=loopback."), "{words}");
    }

    #[test]
    fn a_transport_is_found_by_its_own_name_only() {
        for transport in [Auto, Plugin, Loopback] {
            assert_eq!(by_name(name(transport)), Some(transport));
        }
        for word in ["", "Auto", "port", "auto "] {
            assert_eq!(by_name(word), None, "{word:?}");
        }
    }
}
