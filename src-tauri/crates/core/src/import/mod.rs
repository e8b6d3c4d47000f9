//! Bringing in a Hermes store.
