/*
 * Preloaded into a process (LD_PRELOAD), it makes one input or output in one folder fail, or ends the process there.
 *
 * DISK_FAULTS_FOLDER is the folder. DISK_FAULTS_CONTROL is a file outside of it that the test and the process share: what
 * to do is in its first bytes, and the test may change it while the process runs. Each call that is counted becomes a line
 * of the file with `.log` behind its name, so that a failure says which call it was.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* As `control.ts` writes it. */
enum kind { NO_FAULT, EIO_ONCE, ENOSPC_ONCE, SHORT_ONCE, KILL, LOCKS_NEVER };
enum class { CHANGES = 1, READS = 2 };

struct control {
  uint32_t kind;
  uint32_t classes;
  uint32_t at;
  uint32_t count;
  uint32_t made;
};

/* Whether what is asked for takes room on the disk, so that a full one can refuse it. */
enum room { NO_ROOM, TAKES_ROOM };

#define MAX_NAME 128

static struct control *control;
static const char *folder;
static size_t folder_length;
static int log_file = -1;

static int (*real_open)(const char *, int, ...);
static int (*real_openat)(int, const char *, int, ...);
static ssize_t (*real_read)(int, void *, size_t);
static ssize_t (*real_pread)(int, void *, size_t, off64_t);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwritev)(int, const struct iovec *, int, off64_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off64_t);
static int (*real_rename)(const char *, const char *);
static int (*real_link)(const char *, const char *);
static int (*real_unlink)(const char *);
static int (*real_rmdir)(const char *);
static int (*real_mkdir)(const char *, mode_t);
static char *(*real_mkdtemp)(char *);
static int (*real_fcntl)(int, int, ...);

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void set_up(void) {
  real_open = next("open64");
  real_openat = next("openat64");
  real_read = next("read");
  real_pread = next("pread64");
  real_write = next("write");
  real_pwrite = next("pwrite64");
  real_writev = next("writev");
  real_pwritev = next("pwritev64");
  real_fsync = next("fsync");
  real_fdatasync = next("fdatasync");
  real_ftruncate = next("ftruncate64");
  real_rename = next("rename");
  real_link = next("link");
  real_unlink = next("unlink");
  real_rmdir = next("rmdir");
  real_mkdir = next("mkdir");
  real_mkdtemp = next("mkdtemp");
  real_fcntl = next("fcntl64");

  const char *path = getenv("DISK_FAULTS_CONTROL");
  const char *wanted = getenv("DISK_FAULTS_FOLDER");
  if (path == NULL || wanted == NULL) return;
  int file = real_open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  char log_path[4096];
  snprintf(log_path, sizeof log_path, "%s.log", path);
  log_file = real_open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (mapped == MAP_FAILED || log_file < 0) return;
  folder = strdup(wanted);
  folder_length = strlen(folder);
  control = mapped;
}

/* The name of a path within the folder, "." for the folder itself; NULL for all others. */
static const char *name_of(const char *path) {
  if (control == NULL || path == NULL || strncmp(path, folder, folder_length) != 0) return NULL;
  if (path[folder_length] == '\0') return ".";
  return path[folder_length] == '/' ? path + folder_length + 1 : NULL;
}

/*
 * The name of an open file in the folder. The system is asked each time: descriptors are given again, and not every close
 * is a call of the C library.
 */
static const char *name_of_file(int file) {
  static __thread char path[4096];
  if (control == NULL) return NULL;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = '\0';
  char *deleted = strstr(path, " (deleted)");
  if (deleted != NULL) *deleted = '\0';
  return name_of(path);
}

/* Counts the call. Returns the fault that it must have. */
static enum kind count(enum class class, const char *call, const char *name, enum room room) {
  if (name == NULL || (control->classes & class) == 0) return NO_FAULT;
  uint32_t number = __atomic_add_fetch(&control->count, 1, __ATOMIC_SEQ_CST);
  char line[MAX_NAME + 64];
  int length = snprintf(line, sizeof line, "%u %s %.*s\n", number, call, MAX_NAME, name);
  if (real_write(log_file, line, (size_t)length) != length) abort();
  enum kind kind = control->kind;
  if (number != control->at || kind == NO_FAULT || kind == LOCKS_NEVER) return NO_FAULT;
  if (kind == ENOSPC_ONCE && room == NO_ROOM) return NO_FAULT;
  if (kind == SHORT_ONCE && strstr(call, "write") == NULL) return NO_FAULT;
  __atomic_add_fetch(&control->made, 1, __ATOMIC_SEQ_CST);
  return kind;
}

static void end_here(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* For calls that are made completely or not at all. True if the call must fail; then `errno` says why. */
static int fails(enum class class, const char *call, const char *name, enum room room) {
  enum kind kind = count(class, call, name, room);
  if (kind == NO_FAULT) return 0;
  if (kind == KILL) end_here();
  errno = kind == ENOSPC_ONCE ? ENOSPC : EIO;
  return 1;
}

/* How many of the bytes are still to be written: all of them, half, or none and `errno` says why. */
static ssize_t allowed(enum kind kind, size_t bytes) {
  if (kind == NO_FAULT) return (ssize_t)bytes;
  if (kind == SHORT_ONCE && bytes > 1) return (ssize_t)(bytes / 2);
  if (kind == KILL) return (ssize_t)(bytes / 2);
  errno = kind == ENOSPC_ONCE ? ENOSPC : EIO;
  return -1;
}

static enum room room_of(int flags) { return (flags & O_CREAT) != 0 ? TAKES_ROOM : NO_ROOM; }

static mode_t mode_of(int flags, va_list list) { return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0; }

static int open_file(const char *path, int flags, mode_t mode) {
  const char *name = name_of(path);
  if (fails(CHANGES, "open", name, room_of(flags))) return -1;
  return real_open(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_file(path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_file(path, flags | O_LARGEFILE, mode);
}

int openat(int at, const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = mode_of(flags, list);
  va_end(list);
  const char *name = name_of(path);
  if (fails(CHANGES, "open", name, room_of(flags))) return -1;
  return real_openat(at, path, flags, mode);
}

ssize_t read(int file, void *to, size_t bytes) {
  return fails(READS, "read", name_of_file(file), NO_ROOM) ? -1 : real_read(file, to, bytes);
}

ssize_t pread64(int file, void *to, size_t bytes, off64_t at) {
  return fails(READS, "read", name_of_file(file), NO_ROOM) ? -1 : real_pread(file, to, bytes, at);
}

ssize_t write(int file, const void *from, size_t bytes) {
  enum kind kind = count(CHANGES, "write", name_of_file(file), TAKES_ROOM);
  ssize_t left = allowed(kind, bytes);
  if (left < 0) return -1;
  ssize_t written = real_write(file, from, (size_t)left);
  if (kind == KILL) end_here();
  return written;
}

ssize_t pwrite64(int file, const void *from, size_t bytes, off64_t at) {
  enum kind kind = count(CHANGES, "write", name_of_file(file), TAKES_ROOM);
  ssize_t left = allowed(kind, bytes);
  if (left < 0) return -1;
  ssize_t written = real_pwrite(file, from, (size_t)left, at);
  if (kind == KILL) end_here();
  return written;
}

/* Of several pieces, a short write is half of the first one. */
ssize_t writev(int file, const struct iovec *pieces, int number) {
  enum kind kind = count(CHANGES, "write", name_of_file(file), TAKES_ROOM);
  if (kind == NO_FAULT || number < 1) return real_writev(file, pieces, number);
  ssize_t left = allowed(kind, pieces[0].iov_len);
  if (left < 0) return -1;
  ssize_t written = real_write(file, pieces[0].iov_base, (size_t)left);
  if (kind == KILL) end_here();
  return written;
}

ssize_t pwritev64(int file, const struct iovec *pieces, int number, off64_t at) {
  enum kind kind = count(CHANGES, "write", name_of_file(file), TAKES_ROOM);
  if (kind == NO_FAULT || number < 1) return real_pwritev(file, pieces, number, at);
  ssize_t left = allowed(kind, pieces[0].iov_len);
  if (left < 0) return -1;
  ssize_t written = real_pwrite(file, pieces[0].iov_base, (size_t)left, at);
  if (kind == KILL) end_here();
  return written;
}

int fsync(int file) {
  return fails(CHANGES, "sync", name_of_file(file), NO_ROOM) ? -1 : real_fsync(file);
}

int fdatasync(int file) {
  return fails(CHANGES, "sync", name_of_file(file), NO_ROOM) ? -1 : real_fdatasync(file);
}

int ftruncate64(int file, off64_t length) {
  return fails(CHANGES, "truncate", name_of_file(file), NO_ROOM) ? -1 : real_ftruncate(file, length);
}

int rename(const char *from, const char *to) {
  return fails(CHANGES, "rename", name_of(to), TAKES_ROOM) ? -1 : real_rename(from, to);
}

int link(const char *from, const char *to) {
  return fails(CHANGES, "link", name_of(to), TAKES_ROOM) ? -1 : real_link(from, to);
}

int unlink(const char *path) {
  return fails(CHANGES, "unlink", name_of(path), NO_ROOM) ? -1 : real_unlink(path);
}

int rmdir(const char *path) {
  return fails(CHANGES, "rmdir", name_of(path), NO_ROOM) ? -1 : real_rmdir(path);
}

int mkdir(const char *path, mode_t mode) {
  return fails(CHANGES, "mkdir", name_of(path), TAKES_ROOM) ? -1 : real_mkdir(path, mode);
}

char *mkdtemp(char *path) {
  return fails(CHANGES, "mkdir", name_of(path), TAKES_ROOM) ? NULL : real_mkdtemp(path);
}

/* A network file system that keeps no locks refuses each of them, for as long as it is asked. */
int fcntl64(int file, int command, ...) {
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  int is_lock = command == F_SETLK || command == F_SETLKW || command == F_GETLK;
  if (is_lock && control != NULL && control->kind == LOCKS_NEVER && name_of_file(file) != NULL) {
    __atomic_add_fetch(&control->made, 1, __ATOMIC_SEQ_CST);
    errno = ENOLCK;
    return -1;
  }
  return real_fcntl(file, command, argument);
}
