//! The element `hermesmediasrc`.

mod imp;

use gst::glib;
use gst::prelude::*;
use gstreamer as gst;

glib::wrapper! {
    /// A seekable source of the bytes of a granted file.
    pub struct HermesMediaSrc(ObjectSubclass<imp::HermesMediaSrc>)
        @extends gstreamer_base::BaseSrc, gst::Element, gst::Object,
        @implements gst::URIHandler;
}

/// Makes the element known. It is the only one for its scheme, so its rank is the usual one.
pub fn register(plugin: &gst::Plugin) -> Result<(), glib::BoolError> {
    gst::Element::register(Some(plugin), "hermesmediasrc", gst::Rank::Primary, HermesMediaSrc::static_type())
}
