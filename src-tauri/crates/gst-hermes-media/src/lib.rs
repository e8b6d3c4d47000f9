//! `hermesmediasrc`: the GStreamer source by which WebKitGTK plays `hermes-media` addresses.
//!
//! WebKitGTK hands a custom scheme's media to GStreamer, never to the app's scheme handler. This plugin is the URI
//! handler there: a seekable source of bytes that asks the app (frames of `talaria-media-frames`) over the Unix socket
//! named by [`SOCKET_VARIABLE`](talaria_media_frames::SOCKET_VARIABLE). It runs in the web view's process, so it opens
//! no file, knows no path, and holds no right but the grant in the address.
//!
//! `source` is the element; `reader` reads a granted file with `read_ahead` over a `client`'s connection; `address`
//! takes an address apart. Elsewhere than on Linux the crate is empty: those web views play the scheme by themselves.

#![cfg(target_os = "linux")]
#![forbid(unsafe_op_in_unsafe_fn)]

mod address;
mod client;
mod fault;
mod read_ahead;
mod reader;
mod source;

use gst::glib;
use gstreamer as gst;

fn register(plugin: &gst::Plugin) -> Result<(), glib::BoolError> {
    source::register(plugin)
}

gst::plugin_define!(
    hermesmedia,
    env!("CARGO_PKG_DESCRIPTION"),
    register,
    env!("CARGO_PKG_VERSION"),
    "MIT/X11",
    "gst-hermes-media",
    "Talaria",
    "https://gstreamer.freedesktop.org"
);
