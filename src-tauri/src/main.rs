//! The desktop binary: everything is in the library.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

fn main() -> std::process::ExitCode {
    talaria_lib::run()
}
