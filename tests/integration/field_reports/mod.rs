//! What went wrong elsewhere, a test each: of the kind, not of the instance. One file a group of the collection.

mod i_text;
