// Runs random transaction scripts through bbolt and prints a description of its file after each commit.
//
// run.sh builds this file against the distribution's bbolt. `vectors` prints engine/tests/data/bbolt_scripts.json,
// `file SEED COMMIT OUT` keeps the file of one script after one commit, to compare page by page, `buckets OUT` writes
// engine/tests/data/bbolt_buckets.db, `freelist` prints a checksum of a free list of more than 65,534 pages, `etcd`
// prints the page counts of a file while snapshots are open beside etcd's batch transaction, and `verify FILE...` checks
// files that the engine wrote.
// engine/tests/bbolt_scripts.rs has the same scripts, and engine/tests/backend.rs has that of `etcd`: change both
// files together.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"

	bolt "go.etcd.io/bbolt"
)

const scripts = 200

// rng is splitmix64.
type rng uint64

func (r *rng) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

func (r *rng) below(n uint64) uint64 { return r.next() % n }

func check(err error) {
	if err != nil {
		panic(err)
	}
}

type script struct {
	rng        rng
	seed       uint64
	pageSize   int
	syncList   bool
	hasReaders bool
	path       string
	db         *bolt.DB
	readers    []*bolt.Tx
	counter    uint64
}

func newScript(seed uint64, folder string) *script {
	s := &script{rng: rng(seed), seed: seed, path: filepath.Join(folder, fmt.Sprintf("%d.db", seed))}
	s.pageSize = []int{4096, 4096, 1024, 16384}[s.rng.below(4)]
	s.syncList = s.rng.below(2) == 0
	s.hasReaders = s.rng.below(2) == 0
	s.open()
	return s
}

func (s *script) open() {
	options := &bolt.Options{PageSize: s.pageSize, NoFreelistSync: !s.syncList, FreelistType: bolt.FreelistArrayType}
	if s.hasReaders {
		// A map that grows waits for readers.
		options.InitialMmapSize = 32 << 20
	}
	db, err := bolt.Open(s.path, 0600, options)
	check(err)
	db.AllocSize = 1 << 16
	db.NoSync = true
	s.db = db
}

func (s *script) close() {
	for _, r := range s.readers {
		check(r.Rollback())
	}
	s.readers = nil
	check(s.db.Close())
}

func value(n uint64, length uint64) []byte {
	v := make([]byte, length)
	for i := range v {
		v[i] = byte(n + uint64(i))
	}
	return v
}

func shortKey(n uint64) []byte { return []byte(fmt.Sprintf("key-%05d", n)) }

// key returns the key of a number. Every third key is long, so that branch pages hold few keys and trees are deep.
func key(n uint64) []byte {
	k := shortKey(n)
	if n%3 == 0 {
		k = append(k, bytes.Repeat([]byte("."), int(n))...)
	}
	return k
}

// bucket returns a bucket of the top level, or a bucket below it, and creates missing buckets.
func (s *script) bucket(tx *bolt.Tx) *bolt.Bucket {
	b, err := tx.CreateBucketIfNotExists([]byte(fmt.Sprintf("bucket-%d", s.rng.below(3))))
	check(err)
	if s.rng.below(6) == 0 {
		b, err = b.CreateBucketIfNotExists([]byte(fmt.Sprintf("nested-%d", s.rng.below(2))))
		check(err)
	}
	return b
}

func (s *script) step(tx *bolt.Tx, first bool) {
	switch kind := s.rng.below(100); {
	case kind < 50: // One put.
		b := s.bucket(tx)
		n := s.rng.below(400)
		length := s.rng.below(120)
		if s.rng.below(20) == 0 {
			length = s.rng.below(uint64(3 * s.pageSize))
		}
		check(b.Put(key(n), value(n, length)))
	case kind < 65: // One delete.
		b := s.bucket(tx)
		check(b.Delete(key(s.rng.below(400))))
	case kind < 75: // Deletes in a row: nodes merge.
		b := s.bucket(tx)
		from, count := s.rng.below(400), s.rng.below(120)
		for n := from; n < from+count; n++ {
			check(b.Delete(key(n)))
		}
	case kind < 90: // Puts in order, as etcd writes revisions.
		b := s.bucket(tx)
		b.FillPercent = 0.9
		count, length := s.rng.below(60), s.rng.below(200)
		for i := uint64(0); i < count; i++ {
			s.counter++
			var k [8]byte
			binary.BigEndian.PutUint64(k[:], s.counter)
			check(b.Put(k[:], value(s.counter, length)))
		}
	case kind < 94:
		b := s.bucket(tx)
		check(b.SetSequence(s.rng.below(1000)))
	case kind < 97: // Delete a bucket, if no part of it is in memory.
		name := []byte(fmt.Sprintf("bucket-%d", s.rng.below(3)))
		if first && tx.Bucket(name) != nil {
			check(tx.DeleteBucket(name))
		}
	default: // Delete the oldest revisions, as a compaction does.
		b := s.bucket(tx)
		count := s.rng.below(200)
		c := b.Cursor()
		var keys [][]byte
		for k, v := c.First(); k != nil && uint64(len(keys)) < count; k, v = c.Next() {
			if v != nil && len(k) == 8 {
				keys = append(keys, append([]byte(nil), k...))
			}
		}
		for _, k := range keys {
			check(b.Delete(k))
		}
	}
}

type state struct {
	hash      uint64
	fileBytes int
	free      int
	pending   int
}

// commit runs the next transaction.
func (s *script) commit() state {
	switch s.rng.below(8) {
	case 0:
		if s.hasReaders {
			r, err := s.db.Begin(false)
			check(err)
			s.readers = append(s.readers, r)
		}
	case 1, 2:
		if len(s.readers) > 0 {
			i := s.rng.below(uint64(len(s.readers)))
			check(s.readers[i].Rollback())
			s.readers = append(s.readers[:i], s.readers[i+1:]...)
		}
	case 3:
		if len(s.readers) == 0 {
			s.close()
			s.open()
		}
	case 4: // A rollback.
		tx, err := s.db.Begin(true)
		check(err)
		s.step(tx, true)
		check(tx.Rollback())
	}
	tx, err := s.db.Begin(true)
	check(err)
	count := s.rng.below(30)
	for i := uint64(0); i < count; i++ {
		s.step(tx, i == 0)
	}
	check(tx.Commit())
	stats := s.db.Stats()
	data, err := os.ReadFile(s.path)
	check(err)
	h := fnv.New64a()
	h.Write(data)
	return state{h.Sum64(), len(data), stats.FreePageN, stats.PendingPageN}
}

func (s *script) commits() int { return int(4 + s.rng.below(9)) }

func vectors() {
	folder, err := os.MkdirTemp("", "bbolt")
	check(err)
	defer os.RemoveAll(folder)
	fmt.Println(`{"_about": "after each commit: FNV-1a of the file, its bytes, free pages, pending pages",`)
	fmt.Println(`"scripts": [`)
	for seed := uint64(1); seed <= scripts; seed++ {
		s := newScript(seed, folder)
		n := s.commits()
		fmt.Printf(`{"seed": %d, "commits": [`, seed)
		for i := 0; i < n; i++ {
			st := s.commit()
			if i > 0 {
				fmt.Print(", ")
			}
			fmt.Printf(`["%016x", %d, %d, %d]`, st.hash, st.fileBytes, st.free, st.pending)
		}
		s.close()
		end := ","
		if seed == scripts {
			end = ""
		}
		fmt.Printf("]}%s\n", end)
	}
	fmt.Println("]}")
}

func keep(seed uint64, commit int, out string) {
	folder, err := os.MkdirTemp("", "bbolt")
	check(err)
	defer os.RemoveAll(folder)
	s := newScript(seed, folder)
	s.commits()
	for i := 0; i <= commit; i++ {
		s.commit()
	}
	data, err := os.ReadFile(s.path)
	check(err)
	check(os.WriteFile(out, data, 0644))
	s.close()
}

// buckets writes a small file with every kind of page.
func buckets(out string) {
	os.Remove(out)
	db, err := bolt.Open(out, 0644, &bolt.Options{PageSize: 1024})
	check(err)
	db.AllocSize = 1024
	check(db.Update(func(tx *bolt.Tx) error {
		many, err := tx.CreateBucket([]byte("many"))
		check(err)
		for n := uint64(0); n < 300; n++ {
			check(many.Put(shortKey(n), value(n, 40)))
		}
		check(many.SetSequence(7))
		large, err := tx.CreateBucket([]byte("large"))
		check(err)
		check(large.Put([]byte("five pages"), value(1, 5000)))
		inline, err := tx.CreateBucket([]byte("inline"))
		check(err)
		check(inline.Put([]byte("a"), []byte("1")))
		nested, err := many.CreateBucket([]byte("nested"))
		check(err)
		check(nested.Put([]byte("b"), []byte("2")))
		_, err = tx.CreateBucket([]byte("empty"))
		return err
	}))
	check(db.Update(func(tx *bolt.Tx) error { return tx.Bucket([]byte("many")).Delete(shortKey(5)) }))
	check(db.Close())
}

// freelist prints the stored free list of a file in which one value of 70,000 pages was put and deleted: the number of
// its page, its count and overflow, and FNV-1a of its pages.
func freelist() {
	folder, err := os.MkdirTemp("", "bbolt")
	check(err)
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "db")
	db, err := bolt.Open(path, 0600, &bolt.Options{PageSize: 1024})
	check(err)
	check(db.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucket([]byte("b"))
		check(err)
		return b.Put([]byte("k"), make([]byte, 70000*1024))
	}))
	check(db.Update(func(tx *bolt.Tx) error { return tx.Bucket([]byte("b")).Delete([]byte("k")) }))
	check(db.Close())
	data, err := os.ReadFile(path)
	check(err)
	meta := data[1024+16:] // Transaction 3.
	at := binary.LittleEndian.Uint64(meta[32:]) * 1024
	list := data[at:]
	count, overflow := binary.LittleEndian.Uint16(list[10:]), binary.LittleEndian.Uint32(list[12:])
	h := fnv.New64a()
	h.Write(list[:(int(overflow)+1)*1024])
	fmt.Printf("page=%d count=%d overflow=%d %016x\n", at/1024, count, overflow, h.Sum64())
}

// etcd writes rows as etcd does: the next write transaction begins right after a commit, and snapshots begin and end
// while it is open.
func etcd() {
	folder, err := os.MkdirTemp("", "bbolt")
	check(err)
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "db")
	db, err := bolt.Open(path, 0600, &bolt.Options{
		NoFreelistSync:  true,
		FreelistType:    bolt.FreelistArrayType,
		InitialMmapSize: 64 << 20, // A map that grows waits for readers.
	})
	check(err)
	db.NoSync = true
	begin := func(writable bool) *bolt.Tx {
		tx, err := db.Begin(writable)
		check(err)
		return tx
	}
	write := begin(true)
	for _, name := range []string{"alarm", "auth", "authRoles", "authUsers", "cluster", "key", "lease", "members",
		"members_removed", "meta"} {
		_, err := write.CreateBucket([]byte(name))
		check(err)
	}
	check(write.Commit())
	write = begin(true)
	read := begin(false)
	r := rng(7)
	var snapshots []*bolt.Tx
	oldest, newest := uint64(1), uint64(0)
	rev := func(n uint64) []byte {
		var k [8]byte
		binary.BigEndian.PutUint64(k[:], n)
		return k[:]
	}
	h := fnv.New64a()
	for round := 1; round <= 600; round++ {
		switch action := r.below(10); {
		case action < 2 && len(snapshots) < 3:
			snapshots = append(snapshots, begin(false))
		case action < 5 && len(snapshots) > 0:
			i := r.below(uint64(len(snapshots)))
			check(snapshots[i].Rollback())
			snapshots = append(snapshots[:i], snapshots[i+1:]...)
		}
		b := write.Bucket([]byte("key"))
		if r.below(3) > 0 {
			b.FillPercent = 0.9
			count, length := 1+r.below(60), r.below(200)
			for i := uint64(0); i < count; i++ {
				newest++
				check(b.Put(rev(newest), value(newest, length)))
			}
		} else {
			newest++
			b.FillPercent = 0.9
			check(b.Put(rev(newest), nil))
			for end := oldest + r.below(100); oldest < end && oldest < newest; oldest++ {
				check(b.Delete(rev(oldest)))
			}
		}
		check(read.Rollback())
		check(write.Commit())
		stats := db.Stats()
		write = begin(true)
		read = begin(false)
		fmt.Fprintf(h, "%d %d %d\n", read.Size(), stats.FreePageN, stats.PendingPageN)
		if round%100 == 0 {
			fmt.Printf("bytes=%d free=%d pending=%d %016x\n", read.Size(), stats.FreePageN, stats.PendingPageN, h.Sum64())
		}
	}
}

// dump lists a bucket in one hash: names, keys and values in order.
func dump(h io.Writer, b *bolt.Bucket) int {
	count := 0
	check(b.ForEach(func(k, v []byte) error {
		fmt.Fprintf(h, "%x=%x;", k, v)
		if v == nil {
			count += dump(h, b.Bucket(k))
		} else {
			count++
		}
		return nil
	}))
	return count
}

func verify(paths []string) {
	sort.Strings(paths)
	for _, path := range paths {
		db, err := bolt.Open(path, 0600, &bolt.Options{ReadOnly: true})
		check(err)
		check(db.View(func(tx *bolt.Tx) error {
			for err := range tx.Check() {
				panic(fmt.Sprintf("%s: %v", path, err))
			}
			var all bytes.Buffer
			count := 0
			check(tx.ForEach(func(name []byte, b *bolt.Bucket) error {
				fmt.Fprintf(&all, "%x:", name)
				count += dump(&all, b)
				return nil
			}))
			sum := sha256.Sum256(all.Bytes())
			fmt.Printf("%s rows=%d %s\n", filepath.Base(path), count, hex.EncodeToString(sum[:8]))
			return nil
		}))
		check(db.Close())
	}
}

func main() {
	switch arg := os.Args[1]; arg {
	case "vectors":
		vectors()
	case "file":
		seed, err := strconv.ParseUint(os.Args[2], 10, 64)
		check(err)
		commit, err := strconv.Atoi(os.Args[3])
		check(err)
		keep(seed, commit, os.Args[4])
	case "buckets":
		buckets(os.Args[2])
	case "freelist":
		freelist()
	case "etcd":
		etcd()
	case "verify":
		verify(os.Args[2:])
	default:
		panic("unknown command " + arg)
	}
}
