//! Files that are embedded in this program or in a folder, as a backend of `ServeDir`.

use std::{
    borrow::Cow,
    collections::HashMap,
    future::{Ready, ready},
    io::{self, Cursor, Read as _, SeekFrom},
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use flate2::read::GzDecoder;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use rust_embed::EmbeddedFile;
use tokio::io::{AsyncRead, AsyncSeek, ReadBuf};
use tower_http::services::fs::{Backend, File, Metadata};

/// Finds an embedded file by its path.
type Find = fn(&str) -> Option<EmbeddedFile>;

#[derive(Clone)]
pub(crate) enum Files {
    Embedded(EmbeddedFiles),
    Folder(PathBuf),
}

/// The files in this program.
#[derive(Clone)]
pub(crate) struct EmbeddedFiles {
    find: Find,
    /// Embedded files have no time. They count as modified when the server starts, so that a new program is noticed.
    modified: SystemTime,
    /// Files that were unpacked, by their paths.
    unpacked: Arc<Mutex<HashMap<String, Bytes>>>,
}

impl Files {
    /// The files of this program, which started at `started_ms`. A debug build reads the build folder at run time.
    pub(crate) fn own(find: Find, build_folder: &str, started_ms: i64) -> Files {
        if cfg!(debug_assertions) {
            return Files::Folder(build_folder.into());
        }
        let since_epoch = Duration::from_millis(u64::try_from(started_ms).unwrap_or_default());
        Files::Embedded(EmbeddedFiles {
            find,
            modified: SystemTime::UNIX_EPOCH + since_epoch,
            unpacked: Arc::default(),
        })
    }

    /// Reads a whole file.
    pub(crate) async fn read(&self, path: &Path) -> io::Result<OpenFile> {
        let (content, modified) = match self {
            Files::Embedded(files) => (files.content(path).await?, files.modified),
            Files::Folder(folder) => {
                let path = resolve(folder, path).await?;
                let modified = tokio::fs::metadata(&path).await?.modified()?;
                (tokio::fs::read(path).await?.into(), modified)
            }
        };
        Ok(OpenFile {
            content: Cursor::new(content),
            modified,
        })
    }

    async fn stat(&self, path: &Path) -> io::Result<FileMetadata> {
        match self {
            Files::Embedded(files) => Ok(FileMetadata {
                is_dir: false,
                modified: files.modified,
                len: files.content(path).await?.len() as u64,
            }),
            Files::Folder(folder) => {
                let metadata = tokio::fs::metadata(resolve(folder, path).await?).await?;
                Ok(FileMetadata {
                    is_dir: metadata.is_dir(),
                    modified: metadata.modified()?,
                    len: metadata.len(),
                })
            }
        }
    }
}

impl EmbeddedFiles {
    /// A file that is embedded in its compressed forms only is unpacked once, and not on a thread of the async runtime. Clients
    /// that accept no compressed form are few, so most files are never unpacked.
    async fn content(&self, path: &Path) -> io::Result<Bytes> {
        // `ServeDir` gives paths below its base, which is `.`.
        let path = path.strip_prefix(".").unwrap_or(path);
        let path = path.to_str().ok_or(io::ErrorKind::NotFound)?;
        if let Some(file) = (self.find)(path) {
            return Ok(match file.data {
                Cow::Borrowed(content) => Bytes::from_static(content),
                Cow::Owned(content) => content.into(),
            });
        }
        if let Some(content) = self.unpacked.lock().get(path) {
            return Ok(content.clone());
        }
        let packed = (self.find)(&format!("{path}.gz")).ok_or(io::ErrorKind::NotFound)?;
        let content = tokio::task::spawn_blocking(move || unpack(&packed.data)).await??;
        self.unpacked
            .lock()
            .insert(path.to_owned(), content.clone());
        Ok(content)
    }
}

fn unpack(packed: &[u8]) -> io::Result<Bytes> {
    let mut content = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut content)?;
    Ok(content.into())
}

/// Follows links within the folder. A path that leads out of it is not found.
async fn resolve(folder: &Path, path: &Path) -> io::Result<PathBuf> {
    let folder = tokio::fs::canonicalize(folder).await?;
    let resolved = tokio::fs::canonicalize(folder.join(path)).await?;
    if resolved.starts_with(&folder) {
        Ok(resolved)
    } else {
        Err(io::ErrorKind::NotFound.into())
    }
}

impl Backend for Files {
    type File = OpenFile;
    type Metadata = FileMetadata;
    type OpenFuture = BoxFuture<'static, io::Result<OpenFile>>;
    type MetadataFuture = BoxFuture<'static, io::Result<FileMetadata>>;

    fn open(&self, path: PathBuf) -> Self::OpenFuture {
        let files = self.clone();
        Box::pin(async move { files.read(&path).await })
    }

    fn metadata(&self, path: PathBuf) -> Self::MetadataFuture {
        let files = self.clone();
        Box::pin(async move { files.stat(&path).await })
    }
}

/// A file in memory.
pub(crate) struct OpenFile {
    content: Cursor<Bytes>,
    modified: SystemTime,
}

impl OpenFile {
    pub(crate) fn into_content(self) -> Bytes {
        self.content.into_inner()
    }
}

impl File for OpenFile {
    type Metadata = FileMetadata;
    type MetadataFuture<'a> = Ready<io::Result<FileMetadata>>;

    fn metadata(&self) -> Self::MetadataFuture<'_> {
        ready(Ok(FileMetadata {
            is_dir: false,
            modified: self.modified,
            len: self.content.get_ref().len() as u64,
        }))
    }
}

impl AsyncRead for OpenFile {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.content).poll_read(context, buffer)
    }
}

impl AsyncSeek for OpenFile {
    fn start_seek(mut self: Pin<&mut Self>, position: SeekFrom) -> io::Result<()> {
        Pin::new(&mut self.content).start_seek(position)
    }

    fn poll_complete(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<u64>> {
        Pin::new(&mut self.content).poll_complete(context)
    }
}

pub(crate) struct FileMetadata {
    is_dir: bool,
    modified: SystemTime,
    len: u64,
}

impl Metadata for FileMetadata {
    fn is_dir(&self) -> bool {
        self.is_dir
    }

    fn modified(&self) -> io::Result<SystemTime> {
        Ok(self.modified)
    }

    fn len(&self) -> u64 {
        self.len
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};
    use rust_embed::Metadata;

    use super::*;

    fn packed(path: &str) -> Option<EmbeddedFile> {
        let data = match path {
            "page.html.gz" => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(b"a page").unwrap();
                encoder.finish().unwrap()
            }
            "picture.png" => b"a picture".to_vec(),
            _ => return None,
        };
        Some(EmbeddedFile {
            data: data.into(),
            metadata: Metadata::__rust_embed_new([0; 32], None, None),
        })
    }

    #[tokio::test]
    async fn a_file_with_a_compressed_form_only_is_unpacked() {
        let files = Files::Embedded(EmbeddedFiles {
            find: packed,
            modified: SystemTime::UNIX_EPOCH,
            unpacked: Arc::default(),
        });
        let read = async |name: &str| {
            let file = files.read(Path::new(name)).await;
            file.ok().map(OpenFile::into_content)
        };
        assert_eq!(read("./page.html").await.unwrap(), "a page");
        assert_eq!(read("picture.png").await.unwrap(), "a picture");
        assert_eq!(read("none.html").await, None);
        let stat = files.stat(Path::new("page.html")).await.unwrap();
        assert_eq!(stat.len, 6);
        let again = [read("page.html").await, read("page.html").await];
        let [first, second] = again.map(|content| content.unwrap().as_ptr());
        assert_eq!(first, second, "it is unpacked once");
    }

    #[tokio::test]
    async fn links_do_not_lead_out_of_the_folder() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("dist");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(scratch.path().join("secret.txt"), "secret").unwrap();
        std::fs::write(folder.join("a.txt"), "a").unwrap();
        std::os::unix::fs::symlink("a.txt", folder.join("inside.txt")).unwrap();
        std::os::unix::fs::symlink("../secret.txt", folder.join("outside.txt")).unwrap();
        let files = Files::Folder(folder);
        let read = async |name: &str| {
            let file = files.read(Path::new(name)).await;
            file.ok().map(OpenFile::into_content)
        };
        assert_eq!(read("a.txt").await.unwrap(), "a");
        assert_eq!(read("./inside.txt").await.unwrap(), "a");
        assert_eq!(read("outside.txt").await, None);
        assert_eq!(read("../secret.txt").await, None);
        assert_eq!(read("missing.txt").await, None);
        assert_eq!(read(".").await, None);
    }
}
