// Package mvcc is etcd's own. `go build -overlay` adds this file to it, so that a program outside
// the package can measure the index, which is private.
package mvcc

import "go.uber.org/zap"

// Index is the key index without a store.
type Index struct{ tree index }

// NewIndex returns an empty index.
func NewIndex() Index { return Index{newTreeIndex(zap.NewNop())} }

// Put records a put of key at the revision main.0.
func (i Index) Put(key []byte, main int64) { i.tree.Put(key, revision{main: main}) }

// Has reports whether key exists at the revision atRev.
func (i Index) Has(key []byte, atRev int64) bool {
	_, _, _, err := i.tree.Get(key, atRev)
	return err == nil
}

// Compact compacts every key at rev and returns the number of kept revisions.
func (i Index) Compact(rev int64) int { return len(i.tree.Compact(rev)) }
