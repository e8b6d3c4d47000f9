//! The GStreamer plugin that lets WebKitGTK play the media scheme: where its file lies, whether it loads, and what the web
//! view's processes must find in their environment for it. Linux only; elsewhere the web view plays the scheme by itself.
//!
//! `app` calls [`prepare`] once, before there is a second thread and before the window library starts. What carries a file
//! is then decided for each file by `talaria_core::media::choice`.

use std::env;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use talaria_core::media::choice::SchemePlayer;
use talaria_core::media::{MediaSocket, SCHEME};
use talaria_wire::MediaTransport;

/// The plugin's file.
const FILE: &str = "libgsthermesmedia.so";
/// The symbol by which GStreamer takes the plugin of that file's name (gst_plugin_load_file).
const ENTRY: &CStr = c"gst_plugin_hermesmedia_get_desc";
/// Where it lies in a package, from the folder of the program on: the same in `/usr` and in an unpacked package.
const IN_PACKAGE: &str = "../lib/talaria/gstreamer-1.0";
/// A folder of GStreamer's in our cache folder, and its list of the plugins that it knows.
const ALONE: &str = "gstreamer-1.0";
const REGISTRY: &str = "gstreamer-registry.bin";
/// Where the element finds the app.
const SOCKET: &str = "HERMES_MEDIA_SOCKET";

/// What this start has made ready.
pub(crate) struct Prepared {
    pub player: SchemePlayer,
    /// The app's end, once the core can answer. It must live as long as the app.
    pub socket: Option<MediaSocket>,
}

/// Sets up the plugin for the web view, if there is one that works and this start does not go without it.
///
/// To be called on the first thread before there is a second, and before the window library starts.
pub(crate) fn prepare(forced: Option<MediaTransport>, cache: &Path) -> Prepared {
    // A muted video that is not in sight stands still for ever without it (measured), whatever carries it.
    let mut variables = vec![("WEBKIT_GST_ALLOW_PLAYBACK_OF_INVISIBLE_VIDEOS", OsString::from("1"))];
    let found = match forced {
        Some(MediaTransport::Loopback) => Err("this start goes without it".to_owned()),
        _ => plugin(cache),
    };
    let ready = found.and_then(|(file, folder)| {
        let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let socket = MediaSocket::bind(runtime.as_deref())
            .map_err(|error| format!("its socket could not be made ({error})"))?;
        variables.extend(for_plugin(|name| env::var_os(name), &folder, cache, socket.path()));
        Ok((file, socket))
    });
    for (name, value) in variables {
        // SAFETY: the process has one thread here, so nobody reads the environment meanwhile.
        unsafe { env::set_var(name, value) };
    }
    match ready {
        Ok((file, socket)) => Prepared { player: SchemePlayer::Plugin { file }, socket: Some(socket) },
        Err(why) => Prepared { player: SchemePlayer::Not { why }, socket: None },
    }
}

/// The plugin's file and the folder for GStreamer to look in, or why there is none.
fn plugin(cache: &Path) -> Result<(PathBuf, PathBuf), String> {
    let program = env::current_exe().and_then(fs::canonicalize);
    let program = program.map_err(|error| format!("the place of the program cannot be told ({error})"))?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let (file, beside) = find(folder)?;
    loads(&file)?;
    let folder = match beside {
        true => {
            alone(&file, cache).map_err(|error| format!("a folder for it could not be made ({error})"))?
        }
        false => file.parent().unwrap_or(folder).to_owned(),
    };
    Ok((file, folder))
}

/// The plugin's file for a program in `folder`, and whether it lies beside the program (as cargo builds it).
fn find(folder: &Path) -> Result<(PathBuf, bool), String> {
    let (packaged, beside) = (folder.join(IN_PACKAGE).join(FILE), folder.join(FILE));
    for (file, is_beside) in [(&packaged, false), (&beside, true)] {
        if let Ok(file) = file.canonicalize() {
            return Ok((file, is_beside));
        }
    }
    Err(format!("its file {FILE} is not there; it belongs to the program in {}", folder.display()))
}

/// Whether the plugin can be loaded into a process: its libraries are there, and it is one that GStreamer takes.
fn loads(file: &Path) -> Result<(), String> {
    let path = CString::new(file.as_os_str().as_bytes()).map_err(|_| "its path holds a zero".to_owned())?;
    // SAFETY: the path is a closed string. What runs on loading is what the web view's process runs, too: the plugin and
    // the libraries of GStreamer, which have no code at load but their own; nothing of the plugin is called.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        return Err(format!("it does not load ({})", last_error()));
    }
    // SAFETY: the handle is the one just given, and it is closed once, after its last use.
    let entry = unsafe {
        let entry = libc::dlsym(library, ENTRY.as_ptr());
        libc::dlclose(library);
        entry
    };
    match entry.is_null() {
        true => Err(format!("{} is no plugin of Talaria", file.display())),
        false => Ok(()),
    }
}

/// Why the last `dlopen` failed.
fn last_error() -> String {
    // SAFETY: dlerror answers null or a closed string of its own, which stays until the next call on this thread.
    let words = unsafe {
        let words = libc::dlerror();
        (!words.is_null()).then(|| CStr::from_ptr(words).to_string_lossy().into_owned())
    };
    words.unwrap_or_else(|| "no reason was given".to_owned())
}

/// A folder with a link to this file and nothing else. GStreamer reads a folder of plugins with all below it, and the
/// folder of a build holds a thousand other libraries.
fn alone(file: &Path, cache: &Path) -> io::Result<PathBuf> {
    let folder = cache.join(ALONE);
    fs::create_dir_all(&folder)?;
    let link = folder.join(FILE);
    if fs::read_link(&link).is_ok_and(|target| target == file) {
        return Ok(folder);
    }
    let fresh = folder.join(format!(".{}", std::process::id()));
    match fs::remove_file(&fresh) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => std::os::unix::fs::symlink(file, &fresh)?,
    }
    fs::rename(&fresh, &link)?;
    Ok(folder)
}

/// What is set for the web view's processes. `var` is the environment that this one was started with.
fn for_plugin(
    var: impl Fn(&str) -> Option<OsString>,
    folder: &Path,
    cache: &Path,
    socket: &Path,
) -> Vec<(&'static str, OsString)> {
    let set = |name: &str| var(name).filter(|value| !value.is_empty());
    // GStreamer reads the name with its version before the plain one (gstregistry.c).
    let of_version = |versioned: &'static str, plain: &'static str| match set(versioned) {
        Some(_) => versioned,
        None => plain,
    };
    let joined = |first: OsString, separator: &str, second: Option<OsString>| match second {
        Some(second) => [first, second].join(OsStr::new(separator)),
        None => first,
    };
    let path = of_version("GST_PLUGIN_PATH_1_0", "GST_PLUGIN_PATH");
    let registry = of_version("GST_REGISTRY_1_0", "GST_REGISTRY");
    let protocols = "WEBKIT_GST_ALLOWED_URI_PROTOCOLS";
    let allowed = match set(protocols) {
        Some(before) => joined(before, ",", Some(SCHEME.into())),
        None => SCHEME.into(),
    };
    vec![
        (path, joined(folder.into(), ":", set(path))),
        // The list of all programs would lose and find our plugin in turns.
        (registry, cache.join(REGISTRY).into()),
        (protocols, allowed),
        (SOCKET, socket.into()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_of_a_package_goes_before_one_beside_the_program() {
        let root = tempfile::tempdir().unwrap();
        let (bin, lib) = (root.path().join("bin"), root.path().join("lib/talaria/gstreamer-1.0"));
        fs::create_dir(&bin).unwrap();
        let words = find(&bin).unwrap_err();
        assert!(words.contains(FILE) && words.contains(bin.to_str().unwrap()), "{words}");
        fs::write(bin.join(FILE), "").unwrap();
        assert_eq!(find(&bin).unwrap(), (bin.join(FILE).canonicalize().unwrap(), true));
        fs::create_dir_all(&lib).unwrap();
        fs::write(lib.join(FILE), "").unwrap();
        assert_eq!(find(&bin).unwrap(), (lib.join(FILE).canonicalize().unwrap(), false));
    }

    #[test]
    fn garbage_and_a_library_that_is_no_plugin_do_not_load_and_the_words_say_so() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        fs::write(&file, "no library").unwrap();
        let words = loads(&file).unwrap_err();
        assert!(words.starts_with("it does not load (") && words.contains(FILE), "{words}");
        // Loaded already, and no plugin of GStreamer.
        let words = loads(Path::new("libc.so.6")).unwrap_err();
        assert_eq!(words, "libc.so.6 is no plugin of Talaria");
    }

    #[test]
    fn a_plugin_beside_the_program_gets_a_folder_where_it_is_alone() {
        let (build, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for name in [FILE, "libother.so"] {
            fs::write(build.path().join(name), "").unwrap();
        }
        let others = build.path().join("other");
        fs::create_dir(&others).unwrap();
        fs::write(others.join(FILE), "").unwrap();
        for file in [build.path().join(FILE), others.join(FILE), others.join(FILE)] {
            let folder = alone(&file, cache.path()).unwrap();
            let there: Vec<_> =
                fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!(there, [FILE]);
            assert_eq!(fs::read_link(folder.join(FILE)).unwrap(), file);
        }
    }

    #[test]
    fn what_the_user_has_set_stays_and_ours_comes_first() {
        let of = |set: &[(&str, &str)]| {
            let var = |name: &str| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
            };
            let all = for_plugin(var, Path::new("/p"), Path::new("/c"), Path::new("/s"));
            all.into_iter().map(|(name, value)| format!("{name}={}", value.display())).collect::<Vec<_>>()
        };
        let registry = "GST_REGISTRY=/c/gstreamer-registry.bin";
        let alone = ["GST_PLUGIN_PATH=/p", registry, "WEBKIT_GST_ALLOWED_URI_PROTOCOLS=hermes-media"];
        assert_eq!(of(&[("GST_PLUGIN_PATH", "")])[..3], alone);
        let kept = of(&[("GST_PLUGIN_PATH", "/a:/b"), ("WEBKIT_GST_ALLOWED_URI_PROTOCOLS", "x,y")]);
        let beside = [
            "GST_PLUGIN_PATH=/p:/a:/b",
            registry,
            "WEBKIT_GST_ALLOWED_URI_PROTOCOLS=x,y,hermes-media",
            "HERMES_MEDIA_SOCKET=/s",
        ];
        assert_eq!(kept, beside);
        let versioned = of(&[("GST_PLUGIN_PATH_1_0", "/v"), ("GST_REGISTRY_1_0", "/r")]);
        assert_eq!(
            versioned[..2],
            ["GST_PLUGIN_PATH_1_0=/p:/v", "GST_REGISTRY_1_0=/c/gstreamer-registry.bin"]
        );
    }
}
