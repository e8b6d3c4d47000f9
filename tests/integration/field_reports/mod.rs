//! What users of such apps have reported, a file a group, each test named after what must hold.

mod g_start;
