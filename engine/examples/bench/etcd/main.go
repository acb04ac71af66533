// Command main does the work of the rows of `engine/examples/bench/rows.rs` with etcd's own mvcc
// package. `main ROW RUNS` prints for each run the elapsed milliseconds and the milliseconds of
// processor time of all threads, including the garbage collector's. `cargo xtask bench native`
// builds and runs this program. Keys have 64 bytes and values 256. The database file is in memory
// (/dev/shm) if the system has that folder.
package main

import (
	"fmt"
	"io/ioutil"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"go.etcd.io/etcd/lease"
	"go.etcd.io/etcd/mvcc"
	"go.etcd.io/etcd/mvcc/backend"
	"go.uber.org/zap"
)

const gets = 200000

// A row prepares its data once and returns the work of one run; prepare, if it is set, runs
// before each run and is not timed.
type row func() (prepare func(), work func())

var rows = map[string]row{
	"index-put":           func() (func(), func()) { return indexPut(10000, 100) },
	"index-put-1m":        func() (func(), func()) { return indexPut(1000000, 1) },
	"index-get":           func() (func(), func()) { return indexGet(10000, 100, now) },
	"index-get-past":      func() (func(), func()) { return indexGet(10000, 100, anyRevision) },
	"index-get-1m":        func() (func(), func()) { return indexGet(1000000, 1, now) },
	"index-compact":       func() (func(), func()) { return indexCompact(10000, 100) },
	"index-compact-100k":  func() (func(), func()) { return indexCompact(100000, 10) },
	"index-compact-1m":    func() (func(), func()) { return indexCompact(1000000, 1) },
	"store-put-new":       func() (func(), func()) { return storePut(100000, 1) },
	"store-put":           func() (func(), func()) { return storePut(10000, 100) },
	"store-get":           func() (func(), func()) { return storeGet(now) },
	"store-get-past":      func() (func(), func()) { return storeGet(anyRevision) },
	"store-range-1000":    func() (func(), func()) { return storeRange(1000, mvcc.RangeOptions{}) },
	"store-range-all":     func() (func(), func()) { return storeRange(100000, mvcc.RangeOptions{}) },
	"store-range-limited": func() (func(), func()) { return storeRange(100000, mvcc.RangeOptions{Limit: 1000}) },
	"store-count":         func() (func(), func()) { return storeRange(100000, mvcc.RangeOptions{Count: true}) },
	"store-restore":       storeRestore,
}

var folder string

func main() {
	if len(os.Args) != 3 || rows[os.Args[1]] == nil {
		log.Fatal("usage: main ROW RUNS")
	}
	runs, err := strconv.Atoi(os.Args[2])
	check(err)
	memory := "/dev/shm"
	if _, err := os.Stat(memory); err != nil {
		memory = ""
	}
	folder, err = ioutil.TempDir(memory, "watchglass-bench")
	check(err)
	defer os.RemoveAll(folder)
	prepare, work := rows[os.Args[1]]()
	for i := 0; i < runs; i++ {
		if prepare != nil {
			prepare()
		}
		// Collect the garbage of the preparation, which is not a part of the work.
		runtime.GC()
		began, used := time.Now(), processorTime()
		work()
		passed, used := time.Since(began), processorTime()-used
		fmt.Printf("%.4f %.4f\n", passed.Seconds()*1e3, used.Seconds()*1e3)
	}
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func expect(found, wanted int) {
	if found != wanted {
		log.Fatalf("%d instead of %d", found, wanted)
	}
}

func key(i int) []byte {
	namespace := fmt.Sprintf("/registry/pods/namespace-%04d/", i/1000)
	return []byte(fmt.Sprintf("%s%0*d", namespace, 64-len(namespace), i))
}

func keys(n int) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = key(i)
	}
	return all
}

// The revision that a get requests.
type at int

const (
	now at = iota
	anyRevision
)

type get struct {
	key []byte
	rev int64
}

// The same keys and revisions in the same order as in rows.rs.
func randomGets(keys [][]byte, current int64, where at) []get {
	all := make([]get, gets)
	state := uint64(1)
	below := func(n uint64) uint64 {
		state = state*6364136223846793005 + 1442695040888963407
		return (state >> 33) % n
	}
	for i := range all {
		all[i] = get{keys[below(uint64(len(keys)))], current}
		if where == anyRevision {
			all[i].rev = 2 + int64(below(uint64(current-1)))
		}
	}
	return all
}

func indexOf(keys [][]byte, rounds int) mvcc.Index {
	index := mvcc.NewIndex()
	rev := int64(1)
	for i := 0; i < rounds; i++ {
		for _, key := range keys {
			rev++
			index.Put(key, rev)
		}
	}
	return index
}

func indexPut(n, rounds int) (func(), func()) {
	keys := keys(n)
	return nil, func() { indexOf(keys, rounds) }
}

func indexGet(n, rounds int, where at) (func(), func()) {
	keys := keys(n)
	index := indexOf(keys, rounds)
	all := randomGets(keys, int64(n*rounds)+1, where)
	return nil, func() {
		found := 0
		for _, get := range all {
			if index.Has(get.key, get.rev) {
				found++
			}
		}
		if where == now {
			expect(found, gets)
		}
	}
}

func indexCompact(n, rounds int) (func(), func()) {
	keys := keys(n)
	var index mvcc.Index
	prepare := func() { index = indexOf(keys, rounds) }
	return prepare, func() { expect(index.Compact(int64(n*rounds)+1), n) }
}

// The consistent index, which etcd writes with each transaction.
type consistentIndex struct{}

func (consistentIndex) ConsistentIndex() uint64 { return 1 }

func open(path string) (mvcc.KV, backend.Backend) {
	database := backend.NewDefaultBackend(path)
	return restore(database), database
}

func restore(database backend.Backend) mvcc.KV {
	return mvcc.NewStore(zap.NewNop(), database, &lease.FakeLessor{}, consistentIndex{}, mvcc.StoreConfig{})
}

func fill(s mvcc.KV, keys [][]byte, rounds int) {
	value := make([]byte, 256)
	for i := range value {
		value[i] = 'v'
	}
	for i := 0; i < rounds; i++ {
		for _, key := range keys {
			s.Put(key, value, lease.NoLease)
		}
	}
	s.Commit()
}

// Opens a store with these keys. A commit without a write before it drops the read buffer, so that
// reads work as in an idle store.
func storeOf(keys [][]byte, rounds int) mvcc.KV {
	s, database := open(filepath.Join(folder, "db"))
	fill(s, keys, rounds)
	database.ForceCommit()
	database.ForceCommit()
	return s
}

func storePut(n, rounds int) (func(), func()) {
	keys := keys(n)
	var s mvcc.KV
	var database backend.Backend
	path := filepath.Join(folder, "db")
	prepare := func() {
		if s != nil {
			check(s.Close())
			check(database.Close())
			check(os.Remove(path))
		}
		s, database = open(path)
	}
	return prepare, func() { fill(s, keys, rounds) }
}

func storeGet(where at) (func(), func()) {
	keys := keys(10000)
	s := storeOf(keys, 100)
	all := randomGets(keys, s.Rev(), where)
	return nil, func() {
		found := 0
		for _, get := range all {
			result, err := s.Range(get.key, nil, mvcc.RangeOptions{Rev: get.rev})
			check(err)
			found += len(result.KVs)
		}
		if where == now {
			expect(found, gets)
		}
	}
}

func storeRange(n int, options mvcc.RangeOptions) (func(), func()) {
	const all = 100000
	s := storeOf(keys(all), 1)
	first := (all - n) / 2
	from, end := key(first), key(first+n)
	return nil, func() {
		result, err := s.Range(from, end, options)
		check(err)
		expect(result.Count, n)
	}
}

func storeRestore() (func(), func()) {
	path := filepath.Join(folder, "db")
	s, database := open(path)
	fill(s, keys(10000), 100)
	rev := s.Rev()
	prepare := func() {
		check(s.Close())
		check(database.Close())
		database = backend.NewDefaultBackend(path)
	}
	return prepare, func() {
		s = restore(database)
		expect(int(s.Rev()), int(rev))
	}
}
