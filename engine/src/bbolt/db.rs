//! A database: a file of pages, its free pages, its readers, and one writer at a time.
//!
//! Mirrors `db.go`. A reader keeps its own clone of the pages; its number here holds pages back.

use super::bucket::{Bucket, BucketHeader};
use super::check::{Checker, Findings};
use super::freelist::Freelist;
use super::meta::Meta;
use super::page::{Kind, write_header};
use super::pages::Pages;
use super::report::Write;
use super::space::{Extent, Space};
use super::{Damage, File, Options, Report, Span, Tx, TxError, View};
use crate::base::Bytes;

/// A database.
///
/// ```
/// use watchglass_engine::bbolt::{Db, Options};
/// let mut db = Db::new(Options::etcd_3_4());
/// let mut tx = db.begin();
/// tx.create_bucket(&[], b"key")?;
/// tx.put(&[b"key"], b"a", b"1")?;
/// db.commit(tx)?;
/// let again = Db::open(db.to_bytes().into(), Options::etcd_3_4())?;
/// assert_eq!(&*again.view().get(&[b"key"], b"a")?.unwrap(), b"1");
/// # Ok::<(), watchglass_engine::bbolt::TxError>(())
/// ```
#[derive(Clone, Debug, Hash)]
pub struct Db {
    options: Options,
    pages: Pages,
    meta: Meta,
    freelist: Freelist,
    extent: Extent,
    /// The transactions that open readers see, in order.
    readers: Vec<u64>,
}

impl Db {
    /// An empty database of four pages: two meta pages, an empty free list, an empty root bucket.
    pub fn new(options: Options) -> Self {
        let size = options.page_size as usize;
        let metas = [0, 1].map(|txid| Meta {
            page_size: options.page_size,
            root: BucketHeader {
                page: 3,
                sequence: 0,
            },
            freelist: 2,
            high_water: 4,
            txid,
        });
        let mut file = [metas[0].to_page(0), metas[1].to_page(1), vec![0; 2 * size]].concat();
        write_header(&mut file[2 * size..], 2, Kind::Freelist, 0, 0);
        write_header(&mut file[3 * size..], 3, Kind::Leaf, 0, 0);
        let file_bytes = file.len() as u64;
        Self {
            options,
            pages: Pages::new(options.page_size, Span::from(file)),
            meta: metas[1],
            freelist: Freelist::default(),
            extent: Extent {
                file_bytes,
                map_bytes: Extent::map_for(file_bytes.max(options.initial_map_bytes)),
                known_bytes: file_bytes,
            },
            readers: Vec::new(),
        }
    }

    /// Opens a file, of which all pages are checked first. The page size is the file's.
    ///
    /// # Errors
    /// With the first damage that is found.
    pub fn open(file: Bytes, options: Options) -> Result<Self, Damage> {
        let file = File::open(file)?;
        let findings = Checker::new(file.view()).run();
        Self::open_checked(&file, findings, options)
    }

    /// Opens a file whose pages were checked already.
    ///
    /// # Errors
    /// With the first damage among the findings.
    pub fn open_checked(file: &File, findings: Findings, options: Options) -> Result<Self, Damage> {
        let (view, file_bytes) = (file.view(), file.bytes());
        if let Some(damage) = findings.damages.into_iter().next() {
            return Err(damage);
        }
        let free = match view.stored_free()? {
            Some(ids) => ids,
            None => findings.unused,
        };
        let mut db = Self {
            options: Options {
                page_size: view.meta().page_size,
                ..options
            },
            pages: view.pages().clone(),
            meta: view.meta(),
            freelist: Freelist::from_ids(free),
            extent: Extent {
                file_bytes,
                map_bytes: Extent::map_for(file_bytes.max(options.initial_map_bytes)),
                known_bytes: 0,
            },
            readers: Vec::new(),
        };
        // bbolt stores a missing free list when it opens the file.
        if options.stores_freelist && db.meta.freelist == super::meta::NO_FREELIST {
            let tx = db.begin();
            match db.commit(tx) {
                Ok(_) => {}
                Err(TxError::Damaged(damage)) => return Err(damage),
                Err(error) => unreachable!("an empty transaction: {error}"),
            }
        }
        Ok(db)
    }

    /// The database that is found on the disk after a crash during the commit that made this database of `before`.
    /// The file is as long as this one, and pages that were not written stay shared. Only the pages of the commit are
    /// looked at, unless one of them is not what it should be: then the whole file is checked.
    ///
    /// # Errors
    /// With the first damage that is found.
    pub fn recovered(&self, before: &Self, disk: Pages, report: &Report) -> Result<Self, Damage> {
        let size = u64::from(self.options.page_size);
        let meta = |id: u64| Meta::read(id, id * size, disk.raw(id).unwrap_or_default()).ok();
        let newest = [0, 1].into_iter().filter_map(meta).max_by_key(|m| m.txid);
        let is_whole = |write: &Write| disk.has(write.page, &write.bytes);
        let is_unused = |write: &Write| {
            let pages = write.page..write.page + write.bytes.len() as u64 / size;
            write.page == report.meta_page
                || pages
                    .clone()
                    .all(|page| page >= before.meta.high_water || before.freelist.contains(page))
        };
        let mut db = match newest {
            Some(meta) if meta == self.meta && report.writes.iter().all(is_whole) => self.clone(),
            Some(meta) if meta == before.meta && report.writes.iter().all(is_unused) => Self {
                pages: disk,
                ..before.clone()
            },
            _ => Self::open(disk.to_bytes(disk.held() * size).into(), self.options)?,
        };
        db.extent.file_bytes = db.extent.file_bytes.max(self.extent.file_bytes);
        db.reopen();
        Ok(db)
    }

    /// The current state, for inspection: unlike a read transaction it holds back no pages.
    pub fn view(&self) -> View {
        View::new(self.pages.clone(), self.meta)
    }

    /// Closes the file and opens it again, which ends all readers. Without a stored free list pages are free or in
    /// use afterwards, so pending pages become free.
    pub fn reopen(&mut self) {
        self.readers.clear();
        self.freelist = Freelist::from_ids(self.freelist.ids());
        self.extent = Extent {
            file_bytes: self.extent.file_bytes,
            map_bytes: Extent::map_for(self.extent.file_bytes.max(self.options.initial_map_bytes)),
            known_bytes: 0,
        };
    }

    /// Begins a read transaction. The pages that it sees are not reused until [`end_read`](Self::end_read).
    pub fn begin_read(&mut self) -> View {
        let at = self.readers.partition_point(|txid| *txid <= self.meta.txid);
        self.readers.insert(at, self.meta.txid);
        self.view()
    }

    /// Ends a read transaction.
    ///
    /// # Panics
    /// When no read transaction of this state is open.
    pub fn end_read(&mut self, view: &View) {
        let txid = view.meta().txid;
        let at = self.readers.iter().position(|reader| *reader == txid);
        self.readers.remove(at.expect("an open reader"));
    }

    /// The transactions that open readers see, in order.
    pub fn readers(&self) -> &[u64] {
        &self.readers
    }

    /// Begins a write transaction. Pending pages that no reader can see become free.
    pub fn begin(&mut self) -> Tx {
        self.begin_beside(&self.readers.clone())
    }

    /// Begins a write transaction that counts as begun right after the last commit, when the open readers saw the
    /// transactions `readers`, in order. Readers that began since then see the last commit, and none of its pending
    /// pages.
    pub fn begin_beside(&mut self, readers: &[u64]) -> Tx {
        let released = self.freelist.release(readers);
        let meta = Meta {
            txid: self.meta.txid + 1,
            ..self.meta
        };
        Tx {
            root: Bucket::root(meta.root),
            space: Space {
                options: self.options,
                pages: self.pages.clone(),
                meta,
                freelist: self.freelist.clone(),
                extent: self.extent,
                report: Report {
                    txid: meta.txid,
                    released,
                    high_water_before: meta.high_water,
                    ..Report::default()
                },
            },
        }
    }

    /// Commits a write transaction.
    ///
    /// # Errors
    /// When a page is damaged; the database stays as it was.
    ///
    /// # Panics
    /// When another transaction was committed since this one began.
    pub fn commit(&mut self, mut tx: Tx) -> Result<Report, TxError> {
        assert_eq!(tx.id(), self.meta.txid + 1, "one writer at a time");
        tx.write()?;
        let space = tx.space;
        self.pages = space.pages;
        self.meta = space.meta;
        self.freelist = space.freelist;
        self.extent = space.extent;
        Ok(space.report)
    }

    /// The settings; the page size is the file's.
    pub fn options(&self) -> Options {
        self.options
    }

    /// Sets the options of later writes; the page size stays.
    pub fn set_options(&mut self, options: Options) {
        self.options = Options {
            page_size: self.options.page_size,
            ..options
        };
    }

    /// Free and pending pages.
    pub fn freelist(&self) -> &Freelist {
        &self.freelist
    }

    /// Bytes of the database, free pages included (`Tx.Size`): etcd's database size.
    pub fn bytes(&self) -> u64 {
        self.meta.high_water * u64::from(self.meta.page_size)
    }

    /// Bytes of the database without free pages but with pending pages: etcd's database size in use.
    pub fn bytes_in_use(&self) -> u64 {
        self.bytes() - self.freelist.free_count() * u64::from(self.meta.page_size)
    }

    /// Bytes of the file, which may be longer than the database.
    pub fn file_bytes(&self) -> u64 {
        self.extent.file_bytes
    }

    /// The file, byte for byte.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.pages.to_bytes(self.extent.file_bytes)
    }
}
