//! The GStreamer plugin that lets WebKitGTK play the media scheme: where its file lies, whether it loads, and what the web
//! view's processes must find in their environment for it. Linux only; elsewhere the web view plays the scheme by itself.
//!
//! What it loads is code, so it loads nothing that another user can have put there (`trusted`).
//!
//! `app` calls [`prepare`] once, before there is a second thread and before the window library starts. What carries a file
//! is then decided for each file by `talaria_core::media::choice`.

use crate::trusted;
use std::env;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use talaria_core::media::choice::SchemePlayer;
use talaria_core::media::{MediaSocket, SCHEME, SOCKET_VARIABLE};
use talaria_wire::MediaTransport;

/// The plugin's file.
const FILE: &str = "libgsthermesmedia.so";
/// The symbol by which GStreamer takes the plugin of that file's name (gst_plugin_load_file).
const ENTRY: &CStr = c"gst_plugin_hermesmedia_get_desc";
/// Where it lies in a package, from the folder above the program's on: the same in `/usr` and in an unpacked package.
const IN_PACKAGE: &str = "lib/talaria/gstreamer-1.0";
/// A folder for GStreamer beside the socket.
const ALONE: &str = "gstreamer-1.0";
/// A folder in our cache folder, and in it GStreamer's list of the plugins that it knows.
const LIST_FOLDER: &str = "gstreamer";
const REGISTRY: &str = "registry.bin";

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
    // Without it a muted video that is not in sight never starts, whatever carries it (measured in a bare page, which it
    // cured). It is not enough for one that was stopped out of sight: in the app's window that can still stand when it
    // comes back (measured, too), and the page's `wake.ts` plays it anew.
    let mut variables = vec![("WEBKIT_GST_ALLOW_PLAYBACK_OF_INVISIBLE_VIDEOS", OsString::from("1"))];
    let found = match forced {
        Some(MediaTransport::Loopback) => Err("this start goes without it".to_owned()),
        _ => plugin(),
    };
    let ready = found.and_then(|(file, is_beside)| {
        let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let socket = MediaSocket::bind(runtime.as_deref())
            .map_err(|error| format!("its socket could not be made ({error})"))?;
        let folder = match is_beside {
            true => alone(&file, socket.folder())
                .map_err(|error| format!("a folder for it could not be made ({error})"))?,
            false => file.parent().unwrap_or(Path::new("/")).to_owned(),
        };
        // Without it GStreamer keeps its usual list, and reads the plugins' files more often.
        let registry = registry(cache).ok();
        variables.extend(for_plugin(|name| env::var_os(name), &folder, registry, socket.path()));
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

/// The plugin's file and whether it lies beside the program, or why there is none that may be loaded.
fn plugin() -> Result<(PathBuf, bool), String> {
    let program = env::current_exe().and_then(fs::canonicalize);
    let program = program.map_err(|error| format!("the place of the program cannot be told ({error})"))?;
    let (file, is_beside) = find(program.parent().unwrap_or(Path::new("/")))?;
    trusted::check(&file).map_err(|fault| format!("it is not loaded, for {fault}"))?;
    loads(&file)?;
    Ok((file, is_beside))
}

/// The plugin's file for a program in `folder`, a path without links, and whether it lies beside the program (as cargo
/// builds it).
fn find(folder: &Path) -> Result<(PathBuf, bool), String> {
    let packaged = folder.parent().map(|above| above.join(IN_PACKAGE).join(FILE));
    let beside = folder.join(FILE);
    for (file, is_beside) in [(packaged, false), (Some(beside), true)] {
        let Some(file) = file else { continue };
        match file.canonicalize() {
            Ok(real) if real == file => return Ok((file, is_beside)),
            // Whoever could put a link there would choose among all files of ours.
            Ok(_) => {
                return Err(format!("it is not loaded, for a link stands in the way to {}", file.display()));
            }
            Err(_) => {}
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

/// A folder with a link to this file and nothing else, in `parent`, which is fresh and ours alone. GStreamer loads what it
/// finds in a folder of plugins and below it, and the folder of a build holds a thousand other libraries.
fn alone(file: &Path, parent: &Path) -> io::Result<PathBuf> {
    let folder = parent.join(ALONE);
    DirBuilder::new().mode(0o700).create(&folder)?;
    std::os::unix::fs::symlink(file, folder.join(FILE))?;
    Ok(folder)
}

/// Where GStreamer may keep its list: in a folder that is ours alone, for the list says what is loaded.
fn registry(cache: &Path) -> Result<PathBuf, String> {
    let folder = cache.join(LIST_FOLDER);
    // One that is there is looked at below, whatever it is.
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
    made.map_err(|error| format!("{} cannot be made ({error})", folder.display()))?;
    // A home may lie behind a link; the folder itself may not.
    let real = cache.canonicalize().map_err(|error| error.to_string())?.join(LIST_FOLDER);
    let file = real.join(REGISTRY);
    trusted::check_own_folder(&real)?;
    if fs::symlink_metadata(&file).is_ok() {
        trusted::check(&file)?;
    }
    Ok(file)
}

/// What is set for the web view's processes. `var` is the environment that this one was started with.
fn for_plugin(
    var: impl Fn(&str) -> Option<OsString>,
    folder: &Path,
    list: Option<PathBuf>,
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
    // The list of all programs would lose and find our plugin in turns.
    let list = list.map(|list| (registry, list.into()));
    let others = [(protocols, allowed), (SOCKET_VARIABLE, socket.into())];
    [(path, joined(folder.into(), ":", set(path)))].into_iter().chain(list).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[test]
    fn the_plugin_of_a_package_goes_before_one_beside_the_program() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let (bin, lib) = (root.join("bin"), root.join("lib/talaria/gstreamer-1.0"));
        fs::create_dir(&bin).unwrap();
        let words = find(&bin).unwrap_err();
        assert!(words.contains(FILE) && words.contains(bin.to_str().unwrap()), "{words}");
        fs::write(bin.join(FILE), "").unwrap();
        assert_eq!(find(&bin).unwrap(), (bin.join(FILE), true));
        fs::create_dir_all(&lib).unwrap();
        fs::write(lib.join(FILE), "").unwrap();
        assert_eq!(find(&bin).unwrap(), (lib.join(FILE), false));
        fs::rename(root.join("lib"), root.join("elsewhere")).unwrap();
        symlink(root.join("elsewhere"), root.join("lib")).unwrap();
        let words = find(&bin).unwrap_err();
        assert!(words.contains("a link stands in the way"), "{words}");
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
    fn a_plugin_beside_the_program_gets_a_fresh_folder_where_it_is_alone_and_one_that_is_there_is_not_taken()
    {
        let parent = tempfile::tempdir().unwrap();
        let file = parent.path().join(FILE);
        let folder = alone(&file, parent.path()).unwrap();
        let there: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!((there, fs::metadata(&folder).unwrap().mode() & 0o777), (vec![FILE.into()], 0o700));
        assert_eq!(fs::read_link(folder.join(FILE)).unwrap(), file);
        assert_eq!(alone(&file, parent.path()).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn the_list_of_plugins_is_kept_in_a_folder_of_our_own_or_not_at_all() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let (cache, others) = (root.join("cache"), root.join("others"));
        let file = registry(&cache).unwrap();
        let folder = cache.join("gstreamer");
        assert_eq!(file, folder.join("registry.bin"));
        assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
        fs::write(&file, "").unwrap();
        assert_eq!(registry(&cache).unwrap(), file);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(registry(&cache).unwrap_err().contains("can be written by every user"));
        fs::remove_file(&file).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(registry(&cache).unwrap_err().contains("is open to other users"));
        fs::remove_dir(&folder).unwrap();
        fs::create_dir(&others).unwrap();
        fs::set_permissions(&others, fs::Permissions::from_mode(0o700)).unwrap();
        symlink(&others, &folder).unwrap();
        assert!(registry(&cache).is_err());
        // A home behind a link is a home.
        symlink(&cache, root.join("link")).unwrap();
        fs::remove_file(&folder).unwrap();
        assert_eq!(registry(&root.join("link")).unwrap(), file);
    }

    #[test]
    fn what_the_user_has_set_stays_and_ours_comes_first() {
        let of_list = |list: Option<&str>, set: &[(&str, &str)]| {
            let var = |name: &str| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
            };
            let all = for_plugin(var, Path::new("/p"), list.map(PathBuf::from), Path::new("/s"));
            all.into_iter().map(|(name, value)| format!("{name}={}", value.display())).collect::<Vec<_>>()
        };
        let of = |set: &[(&str, &str)]| of_list(Some("/c/list"), set);
        let registry = "GST_REGISTRY=/c/list";
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
        assert_eq!(versioned[..2], ["GST_PLUGIN_PATH_1_0=/p:/v", "GST_REGISTRY_1_0=/c/list"]);
        let without = of_list(None, &[("GST_REGISTRY", "/r")]);
        assert!(!without.iter().any(|set| set.starts_with("GST_REGISTRY")), "{without:?}");
    }
}
