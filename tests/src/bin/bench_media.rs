//! `bench-media`: the loopback listener beside nginx and tower-http's `ServeFile`, on one file in one run.
//!
//! A video of 471 MB whole, and random pieces of 64 KiB of it over one connection and over eight; then what the listener's
//! process grows by while eight clients stream a file of 5 GB. The servers take turns in every order, so that a busy machine
//! is busy for all and none always follows the same other; they are compared within a turn. Aims: at least 0.9 of nginx, ahead of `ServeFile`. Numbers to look at, not a test.

use app_tests::large_clip::{IndexAt, make_large_clip};
use app_tests::range_table::pattern;
use app_tests::range_table::rig::Rig;
use app_tests::raw_reader::RawReader;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tower_http::services::ServeFile;

/// Turns of each server and kind, in each order three times; the middle one is told.
const TURNS: usize = ORDERS.len() * 3;
/// Who comes first, second and third.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1], [1, 2, 0], [0, 2, 1]];
/// Which of the servers the others are compared with.
const NGINX: usize = 1;
/// One piece, in bytes.
const PIECE: u64 = 64 * 1024;
/// Pieces in one turn.
const PIECES: usize = 2048;
/// Clients at a time.
const CLIENTS: usize = 8;
/// Size of the sparse file, and how much of it each client reads, in bytes.
const SPARSE: (u64, u64) = (5_000_000_000, 512 << 20);

/// Who answers.
struct Server {
    name: &'static str,
    address: SocketAddr,
    target: String,
}

fn main() -> io::Result<()> {
    let rig = Rig::start()?;
    let clip = make_large_clip(&rig.folder(), IndexAt::End)?;
    let size = clip.metadata()?.len();
    let opened = rig.open(&clip).map_err(io::Error::other)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let nginx = Nginx::start(rig.home(), &rig.folder())?;
    let file_name = clip.file_name().and_then(|name| name.to_str()).ok_or(io::ErrorKind::InvalidFilename)?;
    let servers = [
        Server { name: "talaria", address: rig.address(), target: rig.target(&opened) },
        Server { name: "nginx", address: nginx.address, target: format!("/{file_name}") },
        Server { name: "ServeFile", address: serve_file(&runtime, &clip)?, target: "/".to_owned() },
    ];
    let known = digest_of_file(&clip)?;
    for server in &servers {
        assert_eq!(digest_of_answer(server)?, known, "{} sends another file", server.name);
    }

    println!("media over loopback: {} MB, {TURNS} turns each, median (best)", size / 1_000_000);
    report("whole file", &servers, size, whole)?;
    let bytes = PIECE * PIECES as u64;
    report("64 KiB pieces, 1 connection", &servers, bytes, |server| pieces(server, size, 1))?;
    report("64 KiB pieces, 8 connections", &servers, bytes, |server| pieces(server, size, CLIENTS))?;
    println!("memory while {CLIENTS} clients stream a file of 5 GB: +{:.1} MB", growth(&rig)? as f64 / 1e6);
    Ok(())
}

/// Takes turns and prints a line for each server, against nginx.
fn report(
    what: &str,
    servers: &[Server; 3],
    bytes: u64,
    run: impl Fn(&Server) -> io::Result<()>,
) -> io::Result<()> {
    let mut times = [const { Vec::new() }; 3];
    for turn in 0..TURNS {
        for at in ORDERS[turn % ORDERS.len()] {
            let began = Instant::now();
            run(&servers[at])?;
            times[at].push(began.elapsed().as_secs_f64());
        }
    }
    let speed = |seconds: f64| bytes as f64 / 1e6 / seconds;
    println!("{what}");
    for (server, own) in servers.iter().zip(&times) {
        let ratios = own.iter().zip(&times[NGINX]).map(|(own, nginx)| nginx / own);
        let (median, best) = (middle(own.iter().copied()), own.iter().copied().fold(f64::INFINITY, f64::min));
        println!(
            "  {:<10} {:>8.1} ms ({:>7.1})  {:>6.0} MB/s ({:>5.0})  {:>5.2} of nginx",
            server.name,
            median * 1000.0,
            best * 1000.0,
            speed(median),
            speed(best),
            middle(ratios)
        );
    }
    Ok(())
}

fn middle(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn whole(server: &Server) -> io::Result<()> {
    RawReader::connect(server.address)?.get(&server.target, None, u64::MAX, |_| {}).map(drop)
}

/// Pieces at places that are the same for every server and turn.
fn pieces(server: &Server, size: u64, connections: usize) -> io::Result<()> {
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..connections)
            .map(|number| {
                scope.spawn(move || {
                    let mut reader = RawReader::connect(server.address)?;
                    let mut random = number as u64 + 1;
                    for _ in 0..PIECES / connections {
                        // Knuth's linear congruential generator; the high bits are the good ones.
                        random = random
                            .wrapping_mul(6_364_136_223_846_793_005)
                            .wrapping_add(1_442_695_040_888_963_407);
                        let first = (random >> 20) % (size - PIECE);
                        reader.get(&server.target, Some((first, first + PIECE - 1)), u64::MAX, |_| {})?;
                    }
                    io::Result::Ok(())
                })
            })
            .collect();
        readers.into_iter().try_for_each(|reader| reader.join().expect("no reader panics"))
    })
}

/// By how many bytes this process, listener and readers together, is larger at its largest.
fn growth(rig: &Rig) -> io::Result<u64> {
    let path = rig.folder().join("sparse.mp4");
    let file = File::create(&path)?;
    file.set_len(SPARSE.0)?;
    // It begins as a medium does.
    file.write_all_at(&pattern(0, PIECE), 0)?;
    let opened = rig.open(&path).map_err(io::Error::other)?;
    let before = resident()?;
    let largest = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..CLIENTS)
            .map(|_| {
                scope.spawn(|| {
                    let mut reader = RawReader::connect(rig.address())?;
                    let (mut largest, mut got) = (0, 0);
                    reader.get(&rig.target(&opened), None, SPARSE.1, |piece| {
                        let before = got;
                        got += piece.len() as u64;
                        if before >> 24 != got >> 24 {
                            largest = largest.max(resident().unwrap_or_default());
                        }
                    })?;
                    io::Result::Ok(largest)
                })
            })
            .collect();
        let largest = readers.into_iter().map(|reader| reader.join().expect("no reader panics"));
        largest.collect::<io::Result<Vec<u64>>>()
    })?;
    Ok(largest.into_iter().max().unwrap_or_default().saturating_sub(before))
}

fn resident() -> io::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.map(|kib| kib * 1024).ok_or_else(|| io::Error::other("no VmRSS"))
}

fn digest_of_answer(server: &Server) -> io::Result<u64> {
    let mut hasher = DefaultHasher::new();
    RawReader::connect(server.address)?.get(&server.target, None, u64::MAX, |piece| hasher.write(piece))?;
    Ok(hasher.finish())
}

fn digest_of_file(path: &Path) -> io::Result<u64> {
    let mut hasher = DefaultHasher::new();
    hasher.write(&std::fs::read(path)?);
    Ok(hasher.finish())
}

/// tower-http over hyper, answering every target with the file.
fn serve_file(runtime: &tokio::runtime::Runtime, path: &Path) -> io::Result<SocketAddr> {
    let listener = runtime.block_on(tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
    let address = listener.local_addr()?;
    let service = TowerToHyperService::new(ServeFile::new(path));
    runtime.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let service = service.clone();
            tokio::spawn(async move {
                let _ = stream.set_nodelay(true);
                let connection = hyper::server::conn::http1::Builder::new();
                // It ends with an error when the reader goes away.
                let _ = connection.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    Ok(address)
}

/// A process of its own with a configuration of its own; the system's service is left alone.
struct Nginx {
    process: Child,
    address: SocketAddr,
}

impl Nginx {
    fn start(scratch: &Path, files: &Path) -> io::Result<Self> {
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let folder = scratch.join("nginx");
        std::fs::create_dir(&folder)?;
        // Started by root it would take the rights of another user, who may not enter the folder.
        let user = if is_root() { "user root;" } else { "" };
        let (at, files) = (folder.display(), files.display());
        let configuration = folder.join("nginx.conf");
        std::fs::write(
            &configuration,
            format!(
                "{user} daemon off; worker_processes 1; pid {at}/pid; error_log {at}/error.log;
                events {{ worker_connections 64; }}
                http {{
                  access_log off; sendfile on; keepalive_requests 1000000;
                  client_body_temp_path {at}/a; proxy_temp_path {at}/b; fastcgi_temp_path {at}/c;
                  uwsgi_temp_path {at}/d; scgi_temp_path {at}/e;
                  server {{ listen {address}; root {files}; }}
                }}"
            ),
        )?;
        let process = Command::new("nginx")
            .arg("-c")
            .arg(&configuration)
            .arg("-e")
            .arg(folder.join("error.log"))
            .stdin(Stdio::null())
            .spawn()
            .map_err(|error| io::Error::new(error.kind(), format!("nginx (package nginx-light): {error}")))?;
        let nginx = Self { process, address };
        let deadline = Instant::now() + Duration::from_secs(10);
        while TcpStream::connect(address).is_err() {
            if Instant::now() > deadline {
                return Err(io::Error::other("nginx does not listen"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(nginx)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // SIGTERM, so that the worker ends with its master.
        // SAFETY: the process is our child and was not waited for, so its number is its own.
        unsafe { libc::kill(self.process.id() as i32, libc::SIGTERM) };
        let _ = self.process.wait();
    }
}

fn is_root() -> bool {
    // SAFETY: geteuid has no precondition and cannot fail.
    unsafe { libc::geteuid() == 0 }
}
