use super::super::{Media, MediaError, MediaPaths};
use super::*;
use std::fs;
use tempfile::TempDir;

fn places() -> PrivatePlaces {
    PrivatePlaces::new("/home/u".into(), "/home/u/.local/share/Talaria".into(), |_| None)
}

#[test]
fn secret_folders_are_private_in_any_letter_case() {
    for path in [
        "/home/u/.ssh/clip.mp4",
        "/home/u/.SSH/deep/er/clip.mp4",
        "/mnt/backup/u/.GnuPG/x.mp4",
        "/home/u/.aws/x.mp4",
        "/home/u/.kube/x.mp4",
        "/home/u/.docker/x.mp4",
        "/home/u/.Config/GH/x.mp4",
        "/Users/u/Library/Keychains/x.mp4",
        "/home/u/.local/share/keyrings/x.mp4",
        "/home/u/.mozilla/firefox/p/x.mp4",
        "/home/u/.config/google-chrome/Default/x.png",
        "/home/u/Library/Application Support/Google/Chrome/x.png",
        "/home/u/AppData/Local/Microsoft/Edge/User Data/x.png",
        "/home/u/.ssh",
        "/home/u/.\u{17f}\u{17f}h/x.mp4",
        "/home/u/.\u{df}h/x.mp4",
        "/home/u/.s\u{200c}sh/x.mp4",
        "/home/u/.\u{212a}ube/x.mp4",
        "/media/usb/.ssh./x.mp4",
        "/home/u/AppData/Roaming/Microsoft/Protect/x.png",
    ] {
        assert!(places().contains(Path::new(path)), "{path}");
    }
}

#[test]
fn secret_names_are_private_in_any_folder_and_letter_case() {
    for name in [
        ".env",
        ".ENV.local",
        ".envrc",
        "a.PEM",
        "b.p12",
        "c.Key",
        "id_rsa",
        "ID_RSA.mp4",
        "id_dsa",
        "id_ecdsa_sk",
        "id_ed25519.pub",
        ".netrc",
        ".NPMRC",
        ".pypirc",
        "login.keychain-db",
        "server.pem.",
        "server.ke\u{feff}y",
    ] {
        assert!(places().contains(&Path::new("/srv/work").join(name)), "{name}");
    }
}

#[test]
fn the_apps_own_data_is_private_except_attachments() {
    let data = Path::new("/home/u/.local/share/Talaria");
    assert!(places().contains(&data.join("talaria.db")));
    assert!(places().contains(&data.join("logs/a.png")));
    assert!(places().contains(Path::new("/home/u/.local/share/TALARIA/a.png")));
    assert!(places().contains(data));
    assert!(places().contains(&data.join("attachments")));
    assert!(!places().contains(&data.join("attachments/a.png")));
    assert!(!places().contains(Path::new("/home/u/.local/share/Talaria2/a.png")));
}

/// A home on the disk.
fn home() -> (TempDir, Media) {
    let home = TempDir::new().expect("a home");
    let paths = MediaPaths { data_folder: home.path().join("data"), user_home: home.path().to_owned() };
    (home, Media::new(paths))
}

fn written(path: &Path) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    fs::write(path, "ID3").expect("a file");
}

fn is_private(media: &Media, path: &Path) -> bool {
    matches!(media.open(&"w".into(), path.to_str().expect("Unicode")), Err(MediaError::Blocked(_)))
}

fn all_folders() -> impl Iterator<Item = &'static str> {
    table::ANYWHERE.iter().chain(table::BELOW_HOME).copied()
}

#[test]
fn a_hard_link_into_any_private_folder_is_private() {
    for folder in all_folders() {
        let (home, media) = home();
        let clip = home.path().join("out/clip.mp3");
        written(&home.path().join(folder).join("deep/file"));
        fs::create_dir_all(home.path().join("out")).expect("a folder");
        fs::hard_link(home.path().join(folder).join("deep/file"), &clip).expect("a hard link");
        assert!(is_private(&media, &clip), "{folder}");
    }
}

#[cfg(unix)]
#[test]
fn where_the_symlink_of_any_private_folder_leads_is_private_from_then_on() {
    for folder in all_folders() {
        let (home, media) = home();
        let clip = home.path().join("dotfiles/clip.mp3");
        written(&clip);
        assert!(!is_private(&media, &clip), "{folder}");
        let link = home.path().join(folder);
        fs::create_dir_all(link.parent().expect("a folder")).expect("folders");
        std::os::unix::fs::symlink(home.path().join("dotfiles"), &link).expect("a symlink");
        assert!(is_private(&media, &clip), "{folder}");
        assert!(is_private(&media, &link.join("clip.mp3")), "{folder}");
    }
}

#[cfg(unix)]
#[test]
fn a_private_folder_that_leads_to_the_home_does_not_make_it_private() {
    let (home, media) = home();
    let clip = home.path().join("out/clip.mp3");
    written(&clip);
    std::os::unix::fs::symlink(home.path(), home.path().join(".zen")).expect("a symlink");
    assert!(!is_private(&media, &clip));
}

/// On Linux a wrong letter leads nowhere, and no test on a disk of its own making would notice.
#[test]
fn the_table_spells_as_the_programs_do() {
    for folder in [
        ".config/BraveSoftware",
        ".var/app/com.brave.Browser",
        ".var/app/org.chromium.Chromium",
        ".var/app/com.google.Chrome",
        ".var/app/com.microsoft.Edge",
        ".var/app/com.opera.Opera",
        ".var/app/com.vivaldi.Vivaldi",
        ".var/app/org.gnome.Epiphany",
        "Library/Keychains",
        "Library/HTTPStorages",
        "Library/Containers/com.apple.Safari",
        "Library/Application Support/Google/Chrome",
        "Library/Application Support/com.operasoftware.Opera",
        "AppData/Roaming/Microsoft/Protect",
        "AppData/Local/Microsoft/Edge",
    ] {
        assert!(all_folders().any(|entry| entry == folder), "{folder}");
    }
}

#[test]
fn the_web_views_own_folders_are_private_where_the_variables_lay_them() {
    let variables = |name: &str| (name == "XDG_CACHE_HOME").then(|| "/mnt/cache".into());
    let places = PrivatePlaces::new("/home/u".into(), "/home/u/.local/share/talaria".into(), variables);
    assert!(places.folders().contains(&"/mnt/cache/app.talaria.desktop".into()));
    for folder in ["/mnt/cache", "/home/u/.cache", "/home/u/.local/share", "/home/u/Library/Caches"] {
        assert!(places.contains(&Path::new(folder).join("app.talaria.desktop/a.png")), "{folder}");
    }
}

#[test]
fn ordinary_media_is_not_private() {
    for path in [
        "/home/u/out/clip.mp4",
        "/home/u/ssh/clip.mp4",
        "/home/u/.config/ghost/a.png",
        "/home/u/monkey.mp4",
        "/home/u/environment.mp4",
        "/home/u/.configuration/google-chrome/a.png",
        "/srv/keynote.pem.mp4",
    ] {
        assert!(!places().contains(Path::new(path)), "{path}");
    }
}
