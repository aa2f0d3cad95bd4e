#include "failure.h"

#include <errno.h>

#include "wire.h"

int failure_reason(int error) {
    switch (error) {
        case ENOENT: return FAILED(NOT_FOUND);
        case EEXIST: return FAILED(ALREADY_EXISTS);
        case ENOTDIR: return FAILED(NOT_A_DIRECTORY);
        case EISDIR: return FAILED(IS_A_DIRECTORY);
        case ENOTEMPTY: return FAILED(DIRECTORY_NOT_EMPTY);
        case EACCES:
        case EPERM:
        case EROFS: return FAILED(PERMISSION_DENIED);
        case ENOSPC:
        case EDQUOT:
        case EFBIG: return FAILED(NO_SPACE);
        case EMFILE:
        case ENFILE:
        case EAGAIN: return FAILED(TOO_MANY);
        case EINVAL:
        case ELOOP:
        case ENAMETOOLONG:
        case EXDEV: return FAILED(INVALID);
        default: return FAILED(IO);
    }
}
