//go:build unix

package sqlite

import "syscall"

// errQuota is what a file system answers whose room for one user is used up.
var errQuota error = syscall.EDQUOT
