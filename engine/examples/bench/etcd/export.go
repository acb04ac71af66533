// Package mvcc is etcd's own. This file joins it by `go build -overlay`, so that a program outside
// the package can measure the index, which the package keeps to itself.
package mvcc

import "go.uber.org/zap"

// Index is the key index alone, without a store around it.
type Index struct{ tree index }

// NewIndex returns an empty index.
func NewIndex() Index { return Index{newTreeIndex(zap.NewNop())} }

// Put notes a put of key at the revision main.0.
func (i Index) Put(key []byte, main int64) { i.tree.Put(key, revision{main: main}) }

// Has reports whether key exists at the revision atRev.
func (i Index) Has(key []byte, atRev int64) bool {
	_, _, _, err := i.tree.Get(key, atRev)
	return err == nil
}

// Compact compacts every key at rev and returns how many revisions stay.
func (i Index) Compact(rev int64) int { return len(i.tree.Compact(rev)) }
