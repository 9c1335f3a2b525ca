package org.posthouse.conformance;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import mpi.Intracomm;
import mpi.MPI;

/** MPI's numbers. They are read by name: the compiler puts their values in place of the names, where a class uses them. */
final class Constants {
    private Constants() {}

    private static int value(String name) {
        try {
            Field field = MPI.class.getField(name);
            // The class that declares it is not public, and reflection minds that.
            field.setAccessible(true);
            return field.getInt(null);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(name + " is no int of MPI", e);
        }
    }

    private static void requireDistinct(String... names) {
        Set<Integer> values = new HashSet<>();
        for (String name : names) {
            Check.that(values.add(value(name)), name + " differs from the others of " + Arrays.toString(names));
        }
    }

    private static void requireValues(int first, String... names) {
        for (int i = 0; i < names.length; i++) {
            Check.equal(names[i], value(names[i]), first + i);
        }
    }

    static void ranksAndTags(Intracomm world) {
        requireDistinct("ANY_SOURCE", "PROC_NULL", "ROOT", "UNDEFINED");
        requireDistinct("ANY_TAG", "UNDEFINED");
        for (String name : new String[] {"ANY_SOURCE", "ANY_TAG", "PROC_NULL", "ROOT", "UNDEFINED", "KEYVAL_INVALID"}) {
            Check.that(value(name) < 0, name + " is no rank, tag or key");
        }
    }

    static void answers(Intracomm world) {
        requireDistinct("IDENT", "CONGRUENT", "SIMILAR", "UNEQUAL");
        requireDistinct("GRAPH", "CART", "DIST_GRAPH", "UNDEFINED");
        requireDistinct("TAG_UB", "HOST", "IO", "WTIME_IS_GLOBAL", "APPNUM", "UNIVERSE_SIZE", "LASTUSEDCODE");
        Check.equal("HOST, which programs take for a root", MPI.HOST, 0);
    }

    static void threadLevelsAscend(Intracomm world) {
        requireValues(
                value("THREAD_SINGLE"), "THREAD_SINGLE", "THREAD_FUNNELED", "THREAD_SERIALIZED", "THREAD_MULTIPLE");
    }

    static void sizes(Intracomm world) {
        for (String name : new String[] {"BSEND_OVERHEAD", "SEND_OVERHEAD", "RECV_OVERHEAD"}) {
            Check.that(value(name) >= 0 && value(name) < 1000, name + " is some bytes");
        }
        for (String name : new String[] {"MAX_OBJECT_NAME", "MAX_INFO_KEY", "MAX_INFO_VAL", "MAX_PORT_NAME", "MAX_DATAREP_STRING"}) {
            Check.that(value(name) >= 32, name + " is at least what MPI asks for");
        }
        requireValues(3, "VERSION");
        requireValues(1, "SUBVERSION");
    }

    static void errorClasses(Intracomm world) {
        requireValues(
                0, "SUCCESS", "ERR_BUFFER", "ERR_COUNT", "ERR_TYPE", "ERR_TAG", "ERR_COMM", "ERR_RANK", "ERR_REQUEST",
                "ERR_ROOT", "ERR_GROUP", "ERR_OP", "ERR_TOPOLOGY", "ERR_DIMS", "ERR_ARG", "ERR_UNKNOWN",
                "ERR_TRUNCATE", "ERR_OTHER", "ERR_INTERN", "ERR_IN_STATUS", "ERR_PENDING");
        requireValues(
                20, "ERR_ACCESS", "ERR_AMODE", "ERR_ASSERT", "ERR_BAD_FILE", "ERR_BASE", "ERR_CONVERSION", "ERR_DISP",
                "ERR_DUP_DATAREP", "ERR_FILE_EXISTS", "ERR_FILE_IN_USE", "ERR_FILE", "ERR_INFO_KEY", "ERR_INFO_NOKEY",
                "ERR_INFO_VALUE", "ERR_INFO", "ERR_IO", "ERR_KEYVAL", "ERR_LOCKTYPE", "ERR_NAME", "ERR_NO_MEM",
                "ERR_NOT_SAME", "ERR_NO_SPACE", "ERR_NO_SUCH_FILE", "ERR_PORT", "ERR_QUOTA", "ERR_READ_ONLY",
                "ERR_RMA_CONFLICT", "ERR_RMA_SYNC", "ERR_SERVICE", "ERR_SIZE", "ERR_SPAWN", "ERR_UNSUPPORTED_DATAREP",
                "ERR_UNSUPPORTED_OPERATION", "ERR_WIN");
        requireValues(75, "ERR_PROC_FAILED", "ERR_PROC_FAILED_PENDING", "ERR_REVOKED");
        requireValues(92, "ERR_LASTCODE");
        requireValues(-2, "ERR_SYSRESOURCE");
    }

    static void numbersOfCallsThatAreNotThere(Intracomm world) {
        requireValues(0, "ORDER_C", "ORDER_FORTRAN");
        requireValues(-1, "DISTRIBUTE_DFLT_DARG", "DISTRIBUTE_BLOCK", "DISTRIBUTE_CYCLIC", "DISTRIBUTE_NONE");
        String[] files = {
            "MODE_CREATE", "MODE_RDONLY", "MODE_WRONLY", "MODE_RDWR", "MODE_DELETE_ON_CLOSE", "MODE_UNIQUE_OPEN",
            "MODE_EXCL", "MODE_APPEND", "MODE_SEQUENTIAL"
        };
        String[] windows = {"MODE_NOCHECK", "MODE_NOPRECEDE", "MODE_NOPUT", "MODE_NOSTORE", "MODE_NOSUCCEED"};
        for (String[] bits : new String[][] {files, windows}) {
            for (int bit = 0; bit < bits.length; bit++) {
                Check.equal(bits[bit], value(bits[bit]), 1 << bit);
            }
        }
        requireDistinct("SEEK_SET", "SEEK_CUR", "SEEK_END", "DISPLACEMENT_CURRENT");
        requireValues(1, "LOCK_EXCLUSIVE", "LOCK_SHARED");
        requireDistinct("WIN_BASE", "WIN_SIZE", "WIN_DISP_UNIT", "TAG_UB", "HOST", "IO", "UNIVERSE_SIZE");
    }
}
