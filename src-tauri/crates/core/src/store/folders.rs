//! Working folders: one number a path, and the groups of the list.

use super::error::StoreError;
use super::lineages::Place;
use rusqlite::{Connection, OptionalExtension};
use talaria_wire::{WorkspaceGroup, WorkspaceListRequest, WorkspaceListResponse};

/// What a `workspace` of a request names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// The lineages without a folder.
    None,
    Folder(i64),
    /// A path that no lineage has.
    Unknown,
}

impl Group {
    /// The number the tallies have for it.
    pub(super) fn number(self) -> i64 {
        match self {
            Self::None => 0,
            Self::Folder(id) => id,
            Self::Unknown => -1,
        }
    }
}

/// The group of a path; `""` is the group without a folder.
pub(super) fn group(db: &Connection, path: &str) -> Result<Group, StoreError> {
    let Some(path) = cleaned(path) else { return Ok(Group::None) };
    let id = db
        .prepare_cached("SELECT id FROM folders WHERE path = ?1")?
        .query_row([path], |row| row.get(0))
        .optional()?;
    Ok(id.map_or(Group::Unknown, Group::Folder))
}

/// The number of a path, made when it is new. An empty path has none.
pub(super) fn number(db: &Connection, path: &str) -> Result<Option<i64>, StoreError> {
    let Some(path) = cleaned(path) else { return Ok(None) };
    if let Group::Folder(id) = group(db, path)? {
        return Ok(Some(id));
    }
    let (name, parent) = label(path);
    db.prepare_cached("INSERT INTO folders (path, name, parent) VALUES (?1, ?2, ?3)")?
        .execute((path, name, parent))?;
    Ok(Some(db.last_insert_rowid()))
}

/// Forgets folders that no lineage has any more, so that they no longer lengthen the labels of others.
pub(super) fn forget_unused(db: &Connection) -> Result<(), StoreError> {
    db.execute("DELETE FROM folders WHERE id NOT IN (SELECT folder FROM tallies WHERE n > 0)", [])?;
    db.execute("DELETE FROM tallies WHERE n = 0", [])?;
    Ok(())
}

/// The groups of the active list, the most recently active first. Pinned rows stand elsewhere and are not counted.
pub(super) fn workspace_list(
    db: &Connection,
    request: &WorkspaceListRequest,
) -> Result<WorkspaceListResponse, StoreError> {
    let (place, min) = (Place::Active as i64, request.min_messages.max(0));
    // The newest row of a folder is one step into the index of folders.
    let newest = format!(
        "(SELECT l.recency FROM lineages l WHERE l.place = {place} AND l.folder IS g.folder AND l.pin_rank IS NULL \
         AND l.message_count >= {min} ORDER BY l.recency DESC LIMIT 1)"
    );
    let groups = if min <= 1 {
        format!(
            "SELECT nullif(folder, 0) AS folder, sum(n) AS n FROM tallies WHERE place = {place} AND pinned = 0 \
             AND empty <= {} AND n > 0 GROUP BY folder",
            1 - min
        )
    } else {
        format!(
            "SELECT folder, count(*) AS n FROM lineages WHERE place = {place} AND pin_rank IS NULL \
             AND message_count >= {min} GROUP BY folder"
        )
    };
    let sql = format!(
        "SELECT f.path, CASE WHEN f.parent <> '' AND EXISTS (SELECT 1 FROM folders o WHERE o.name = f.name AND \
         o.id <> f.id) THEN f.parent || '/' || f.name ELSE f.name END, g.n, (SELECT last_active FROM lineages \
         WHERE recency = {newest}), {newest} AS newest \
         FROM ({groups}) g LEFT JOIN folders f ON f.id = g.folder ORDER BY newest DESC"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let groups = statement.query_map([], |row| {
        Ok(WorkspaceGroup {
            folder: row.get(0)?,
            workspace: row.get(1)?,
            count: row.get(2)?,
            last_active: row.get(3)?,
        })
    })?;
    Ok(WorkspaceListResponse { groups: groups.collect::<Result<_, _>>()? })
}

/// A path without separators at its end; the root keeps its own.
fn cleaned(path: &str) -> Option<&str> {
    let trimmed = path.trim_end_matches(['/', '\\']);
    let path = if trimmed.is_empty() || trimmed.ends_with(':') { path } else { trimmed };
    (!path.is_empty()).then_some(path)
}

/// The last part and the one before it. Windows paths have both separators; a POSIX name may hold a backslash.
fn label(path: &str) -> (&str, &str) {
    let windows = path.starts_with(r"\\") || path.as_bytes().get(1) == Some(&b':');
    let separator = |c: char| c == '/' || (windows && c == '\\');
    let mut parts = path.rsplit(separator).filter(|part| !part.is_empty());
    let name = parts.next().unwrap_or(path);
    (name, parts.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_the_last_part() {
        assert_eq!(label("/home/u/project"), ("project", "u"));
        assert_eq!(label(r"C:\work\app"), ("app", "work"));
        assert_eq!(label(r"/a/b\c"), (r"b\c", "a"));
        assert_eq!(label("/"), ("/", ""));
        assert_eq!(label("project"), ("project", ""));
    }

    #[test]
    fn a_separator_at_the_end_is_no_part_of_the_path() {
        assert_eq!(cleaned("/a/b//"), Some("/a/b"));
        assert_eq!(cleaned("/"), Some("/"));
        assert_eq!(cleaned(r"C:\"), Some(r"C:\"));
        assert_eq!(cleaned(""), None);
    }
}
