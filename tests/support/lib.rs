//! What several tests share: temp homes, seeded stores, the range table, the desktop driver.

pub mod desktop;
pub mod home;
pub mod range_table;
pub mod seed;
