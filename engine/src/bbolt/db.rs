//! A bbolt database: a file of pages, the list of its free pages, its read transactions, and at most one write
//! transaction.
//!
//! Mirrors `db.go`. Each reader (read transaction) has its own clone of the pages. As long as a reader is open, the
//! database does not reuse the pages that the reader can see.

use super::bucket::{Bucket, BucketHeader};
use super::check::{Checker, Findings};
use super::freelist::Freelist;
use super::meta::Meta;
use super::page::{Kind, write_header};
use super::pages::Pages;
use super::report::Write;
use super::space::{Extent, Space};
use super::{Damage, File, Options, Report, Source, Tx, TxError, View};

/// A database, its free list and its open readers.
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
    /// The transaction number of each open reader, in ascending order. A reader with the number n sees the state after
    /// transaction n.
    readers: Vec<u64>,
}

impl Db {
    /// Creates an empty database of four pages: two meta pages, an empty free list, an empty root bucket.
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
            pages: Pages::new(options.page_size, file.into(), file_bytes),
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

    /// Checks all pages of a file and opens the file. The page size is read from the file.
    ///
    /// # Errors
    /// Returns the first fault that the check finds.
    pub fn open(file: Source, options: Options) -> Result<Self, Damage> {
        let file = File::open(file)?;
        let findings = Checker::new(file.view()).run();
        Self::open_checked(&file, findings, options)
    }

    /// Opens a file whose pages are already checked.
    ///
    /// # Errors
    /// Returns the first fault in `findings`.
    pub fn open_checked(file: &File, findings: Findings, options: Options) -> Result<Self, Damage> {
        let (view, file_bytes) = (file.view(), file.bytes());
        if let Some(damage) = findings.damages.first() {
            return Err(damage.clone());
        }
        let free = match view.stored_free()? {
            Some(ids) => ids,
            None => findings.unused().collect(),
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

    /// Opens the database that is on `disk` after a crash during a commit. `before` is the database before the commit,
    /// and `self` is the database after the complete commit. The result shares all unchanged pages, and its file is at
    /// least as long as the file of `self`. Normally, this function checks only the pages that the commit wrote. If one
    /// of these pages is unexpected, the function checks the whole file.
    ///
    /// # Errors
    /// Returns the first fault that the check finds.
    pub fn recovered(&self, before: &Self, disk: Pages, report: &Report) -> Result<Self, Damage> {
        let size = u64::from(self.options.page_size);
        let meta = |id: u64| Meta::read(id, id * size, &disk.raw(id).unwrap_or_default()).ok();
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

    /// Returns a view of the current state for inspection. Unlike a read transaction, the view does not prevent the
    /// database from reusing pages.
    pub fn view(&self) -> View {
        View::new(self.pages.clone(), self.meta)
    }

    /// Closes and reopens the file, which ends all readers. Pending pages become free.
    pub fn reopen(&mut self) {
        self.readers.clear();
        self.freelist = Freelist::from_ids(self.freelist.ids());
        self.extent = Extent {
            file_bytes: self.extent.file_bytes,
            map_bytes: Extent::map_for(self.extent.file_bytes.max(self.options.initial_map_bytes)),
            known_bytes: 0,
        };
    }

    /// Begins a read transaction. Until [`end_read`](Self::end_read), the database does not reuse the pages that the
    /// transaction sees.
    pub fn begin_read(&mut self) -> View {
        let at = self.readers.partition_point(|txid| *txid <= self.meta.txid);
        self.readers.insert(at, self.meta.txid);
        self.view()
    }

    /// Ends a read transaction.
    ///
    /// # Panics
    /// Panics if no read transaction is open on the state of `view`.
    pub fn end_read(&mut self, view: &View) {
        let txid = view.meta().txid;
        let at = self.readers.iter().position(|reader| *reader == txid);
        self.readers.remove(at.expect("an open reader"));
    }

    /// Returns the numbers of the transactions that open readers see, in order.
    pub fn readers(&self) -> &[u64] {
        &self.readers
    }

    /// Begins a write transaction. Pending pages that no reader can see become free.
    pub fn begin(&mut self) -> Tx {
        self.begin_beside(&self.readers.clone())
    }

    /// Begins a write transaction as if the transaction had begun right after the last commit. `readers` contains the
    /// transaction numbers of the readers that were open at that time, in ascending order. Readers that opened later
    /// see the last commit, which contains no pending page.
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
    /// Returns an error if a page is damaged. The database then remains unchanged.
    ///
    /// # Panics
    /// Panics if another transaction was committed after this transaction began.
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

    /// Returns the settings of the database. The page size in these settings is the page size of the file.
    pub fn options(&self) -> Options {
        self.options
    }

    /// Sets the options for later writes. The page size does not change.
    pub fn set_options(&mut self, options: Options) {
        self.options = Options {
            page_size: self.options.page_size,
            ..options
        };
    }

    /// Returns the free and pending pages.
    pub fn freelist(&self) -> &Freelist {
        &self.freelist
    }

    /// Returns the size of the database in bytes, including free pages (`Tx.Size`). etcd reports this size as the
    /// database size.
    pub fn bytes(&self) -> u64 {
        self.meta.high_water * u64::from(self.meta.page_size)
    }

    /// Returns the size of the database in bytes, excluding free pages but including pending pages. etcd reports this
    /// size as the database size in use.
    pub fn bytes_in_use(&self) -> u64 {
        self.bytes() - self.freelist.free_count() * u64::from(self.meta.page_size)
    }

    /// Returns the length of the file in bytes. The file may be longer than the database.
    pub fn file_bytes(&self) -> u64 {
        self.extent.file_bytes
    }

    /// Returns the content of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.pages.to_bytes(self.extent.file_bytes)
    }
}
