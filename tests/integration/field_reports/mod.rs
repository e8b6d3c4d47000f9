//! Faults that people met in programs of this kind, each tried here. The letters are the reports' own.

mod d_store;
