//! What several tests share: temp homes, seeded stores, rows of writes, the range table, Hermes files, media, the desktop driver.

pub mod damage;
pub mod demo;
pub mod desktop;
pub mod generated_media;
pub mod hermes_file;
pub mod home;
pub mod host;
pub mod kills;
pub mod large_clip;
pub mod model;
pub mod model_server;
pub mod parsers;
pub mod profile;
pub mod range_table;
pub mod raw_reader;
pub mod seed;
pub mod writes;
