//go:build !unix

package sqlite

import "syscall"

// errQuota is what a file system answers whose room for one user is used up. Here it is the same as a full disk.
var errQuota error = syscall.ENOSPC
