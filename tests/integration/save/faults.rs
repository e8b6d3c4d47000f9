use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::SystemTime;

fn code(error: &IpcError) -> (ErrorCode, bool) {
    (error.code, error.retryable)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_may_not_be_had_is_said_before_anybody_is_asked() {
    let scene = Scene::new().await;
    let other = scene.host.folder.path().join("clip.wav.mp3");
    std::fs::write(&other, "ID3").unwrap();
    let ask = async |request: MediaSaveRequest| {
        let app = &scene.host.app;
        let suggested = app.save_suggestion(&request).await.expect_err("refused").code;
        let saved =
            app.save_to(&"main".into(), &request, scene.target("x.wav")).await.expect_err("refused").code;
        let open = FileOpenRequest { session_id: request.session_id, path: request.path };
        let opened = app.file_to_open(open).await.expect_err("refused").code;
        assert_eq!((saved, opened), (suggested, suggested));
        suggested
    };
    let unnamed = MediaSaveRequest { path: other.display().to_string(), ..scene.request() };
    assert_eq!(ask(unnamed).await, ErrorCode::Blocked);
    assert_eq!(
        ask(MediaSaveRequest { session_id: "gone".into(), ..scene.request() }).await,
        ErrorCode::NotFound
    );
    std::fs::write(&scene.file, "#!/bin/sh\n").unwrap();
    assert_eq!(ask(scene.request()).await, ErrorCode::Unsupported);
    std::fs::remove_file(&scene.file).unwrap();
    assert_eq!(ask(scene.request()).await, ErrorCode::Missing);
    assert_eq!(scene.names(), [] as [&str; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_never_saved_onto_itself_by_whatever_name() {
    let scene = Scene::new().await;
    let (link, second) = (scene.target("link.wav"), scene.host.folder.path().join("second.wav"));
    symlink(&scene.file, &link).unwrap();
    std::fs::hard_link(&scene.file, &second).unwrap();
    for target in [&scene.file, &link, &second] {
        let error = failed(scene.save(target).await);
        assert_eq!(error.code, ErrorCode::BadRequest, "{error:?}");
        assert!(error.message.contains("this is the file itself"), "{}", error.message);
    }
    assert!(std::fs::read(&scene.file).unwrap() == scene.content);
    assert_eq!(scene.names(), ["link.wav"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_as_target_means_the_file_it_leads_to() {
    let scene = Scene::new().await;
    std::fs::create_dir(scene.target("far")).unwrap();
    std::fs::write(scene.target("far/old.wav"), "old").unwrap();
    symlink(scene.target("far/old.wav"), scene.target("link.wav")).unwrap();
    symlink(scene.target("nowhere"), scene.target("dangling.wav")).unwrap();
    let done = scene.save(&scene.target("link.wav")).await;
    let real = scene.target("far/old.wav").canonicalize().unwrap();
    assert_eq!(done, SaveStatus::Done { path: real.display().to_string() });
    assert!(scene.target("link.wav").is_symlink());
    assert!(std::fs::read(&real).unwrap() == scene.content);
    assert!(matches!(scene.save(&scene.target("dangling.wav")).await, SaveStatus::Done { .. }));
    assert!(!scene.target("dangling.wav").is_symlink());
    assert_eq!(scene.names(), ["dangling.wav", "far", "link.wav"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_file_or_no_place_for_one_is_left_alone() {
    let scene = Scene::new().await;
    let home = scene.host.folder.path().join("home");
    std::fs::create_dir_all(home.join("attachments/below")).unwrap();
    symlink(home.join("attachments"), scene.target("link")).unwrap();
    let before = std::fs::read_dir(&home).unwrap().count();
    std::fs::create_dir(scene.target("folder")).unwrap();
    for (target, words) in [
        (PathBuf::from("/dev/null"), "is a device"),
        (home.join("talaria.db"), "Talaria keeps its own files in "),
        (home.join("new.wav"), "Talaria keeps its own files in "),
        (home.join("attachments/new.wav"), "Talaria keeps its own files in "),
        (home.join("attachments/below/new.wav"), "Talaria keeps its own files in "),
        (scene.target("link/new.wav"), "Talaria keeps its own files in "),
        (scene.target("folder"), "is a folder"),
        (scene.target("gone/new.wav"), "is not there"),
    ] {
        let error = failed(scene.save(&target).await);
        assert!(error.message.contains(words), "{}", error.message);
    }
    assert!(!Path::new("/dev/null").is_file());
    assert_eq!(std::fs::read_dir(&home).unwrap().count(), before);
    assert_eq!(std::fs::read_dir(home.join("attachments")).unwrap().count(), 1);
    assert_eq!(scene.names(), ["folder", "link"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_becomes_shorter_on_the_way_leaves_nothing_and_says_so() {
    let scene = Scene::new().await;
    let target = scene.target("copy.wav");
    std::fs::write(&target, "what was there").unwrap();
    let (begins, go) = scene.hold();
    let id = scene.begin(&target).await;
    begins.recv().unwrap();
    std::fs::OpenOptions::new().write(true).open(&scene.file).unwrap().set_len(3_000_000).unwrap();
    drop((begins, go));
    let error = failed(scene.end(&id).await);
    assert_eq!(code(&error), (ErrorCode::Missing, true));
    assert!(error.message.contains("clip.wav became shorter"), "{}", error.message);
    assert_eq!(std::fs::read(&target).unwrap(), b"what was there");
    assert_eq!(scene.names(), ["copy.wav"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_deleted_or_grows_on_the_way_is_saved_as_it_was_when_it_was_opened() {
    let scene = Scene::new().await;
    let (begins, go) = scene.hold();
    let id = scene.begin(&scene.target("copy.wav")).await;
    begins.recv().unwrap();
    let mut longer = scene.content.clone();
    longer.extend(b"more");
    std::fs::write(&scene.file, &longer).unwrap();
    std::fs::remove_file(&scene.file).unwrap();
    drop((begins, go));
    assert!(matches!(scene.end(&id).await, SaveStatus::Done { .. }));
    assert!(std::fs::read(scene.target("copy.wav")).unwrap() == scene.content);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_takes_no_file_is_said_in_words() {
    use crate::store::faults::{as_nobody, set_mode};
    let scene = Scene::new().await;
    let media = scene.host.app.media.media.clone();
    let source = media.source(scene.file.to_str().unwrap()).unwrap();
    set_mode(scene.folder.path(), 0o555);
    let (target, store) = (scene.target("copy.wav"), scene.host.folder.path().join("home/talaria.db"));
    let ended =
        as_nobody(move || talaria_core::save::copy(&source, &target, &store, &Default::default(), |_| {}));
    set_mode(scene.folder.path(), 0o755);
    let error = IpcError::from(ended.expect_err("refused"));
    assert_eq!(code(&error), (ErrorCode::ReadOnly, true));
    assert!(error.message.contains("copy.wav cannot be written"), "{}", error.message);
    assert_eq!(scene.names(), [] as [&str; 0]);
}

/// Told before the copy begins where the file system says how much is free (a mounted one of 1 MiB, if one can be mounted);
/// met on the way where only a file may not grow past 800 KiB.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("disk")).unwrap();
    let mut content = b"RIFF\0\0\0\0WAVEfmt ".to_vec();
    content.resize(3_000_000, 7);
    std::fs::write(folder.path().join("clip.wav"), content).unwrap();
    let save = "printf old > \"$1/disk/copy.wav\"; \"$2\" save \"$1\" \"$1/disk/copy.wav\"; ls \"$1/disk\"; \
                cat \"$1/disk/copy.wav\"";
    let run = |program: &str, script: String| {
        let mut command = std::process::Command::new(program);
        if program == "unshare" {
            // SAFETY: the call has no preconditions.
            if unsafe { libc::geteuid() } != 0 {
                command.arg("--map-root-user");
            }
            command.args(["--mount", "sh"]);
        }
        let child = env!("CARGO_BIN_EXE_store-child");
        command.args(["-c", &script, "sh"]).arg(folder.path()).arg(child).output().expect("the child starts")
    };
    let limited = run("sh", format!("trap '' XFSZ; ulimit -f 1600; {save}"));
    let mount = "mount -t tmpfs -o size=1m tmpfs \"$1/disk\"";
    let mut outputs = vec![limited];
    if run("unshare", mount.to_owned()).status.success() {
        outputs.push(run("unshare", format!("{mount} && {{ {save}; }}")));
    }
    for output in outputs {
        let said = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines.len(), 3, "{said} {}", String::from_utf8_lossy(&output.stderr));
        assert!(lines[0].starts_with("error DiskFull No space is left for "), "{said}");
        assert_eq!(lines[1..], ["copy.wav", "old"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_as_private_as_its_source_or_as_the_file_it_replaces() {
    let scene = Scene::new().await;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let set = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let (fresh, over) = (scene.target("fresh.wav"), scene.target("over.wav"));
    for (source, replaced) in [(0o600, 0o600), (0o644, 0o600), (0o600, 0o664), (0o700, 0o640)] {
        set(&scene.file, source);
        std::fs::write(&over, "what was there").unwrap();
        set(&over, replaced);
        let (begins, go) = scene.hold();
        let id = scene.begin(&over).await;
        begins.recv().unwrap();
        assert_eq!(mode(&scene.target("over.wav.talaria.part")), 0o600);
        drop((begins, go));
        assert!(matches!(scene.end(&id).await, SaveStatus::Done { .. }));
        assert_eq!(mode(&over), replaced, "from {source:o}");

        assert!(matches!(scene.save(&fresh).await, SaveStatus::Done { .. }));
        // The umask may take more away.
        assert_eq!(mode(&fresh) & !(source & 0o666), 0, "from {source:o}");
        std::fs::remove_file(&fresh).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_process_left_on_its_way_goes_with_the_next_copy_and_nothing_else_does() {
    let scene = Scene::new().await;
    let two_hours_ago = SystemTime::now() - Duration::from_secs(2 * 60 * 60);
    let left = |name: &str| {
        std::fs::write(scene.target(name), "half").unwrap();
        let file = std::fs::OpenOptions::new().write(true).open(scene.target(name)).unwrap();
        file.set_modified(two_hours_ago).unwrap();
        file
    };
    for name in ["copy.wav.talaria.part", "copy.wav.2.talaria.part", "plan.md.talaria.part"] {
        left(name);
    }
    // Somebody else's, one that is being written, one that was until just now, and what is no file.
    left("film.mp4.part");
    left("notes.txt");
    let written = left("written.talaria.part");
    written.lock().unwrap();
    std::fs::write(scene.target("young.talaria.part"), "half").unwrap();
    symlink(scene.target("notes.txt"), scene.target("link.talaria.part")).unwrap();
    std::fs::create_dir(scene.target("folder.talaria.part")).unwrap();
    std::fs::File::open(scene.target("folder.talaria.part")).unwrap().set_modified(two_hours_ago).unwrap();

    assert!(matches!(scene.save(&scene.target("copy.wav")).await, SaveStatus::Done { .. }));
    assert_eq!(
        scene.names(),
        [
            "copy.wav",
            "film.mp4.part",
            "folder.talaria.part",
            "link.talaria.part",
            "notes.txt",
            "written.talaria.part",
            "young.talaria.part"
        ]
    );
}

/// The lock is what tells a copy of hours from one that nobody makes any more.
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_under_way_is_locked_however_long_it_takes() {
    let scene = Scene::new().await;
    let (begins, go) = scene.hold();
    let id = scene.begin(&scene.target("copy.wav")).await;
    begins.recv().unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(scene.target("copy.wav.talaria.part")).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(2 * 60 * 60)).unwrap();
    assert!(file.try_lock().is_err());
    talaria_core::files::remove_left_behind(scene.folder.path());
    assert_eq!(scene.names(), ["copy.wav.talaria.part"]);
    drop((begins, go));
    assert!(matches!(scene.end(&id).await, SaveStatus::Done { .. }));
    assert!(std::fs::read(scene.target("copy.wav")).unwrap() == scene.content);
}
