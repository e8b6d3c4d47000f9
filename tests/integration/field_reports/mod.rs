//! What went wrong elsewhere, a test each: of the kind, not of the instance. One file a group of the collection.

mod b_sessions;
mod c_archive;
mod d_store;
mod g_start;
mod i_text;
