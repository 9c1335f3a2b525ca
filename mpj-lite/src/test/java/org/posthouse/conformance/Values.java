package org.posthouse.conformance;

import mpi.Count;
import mpi.Info;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Version;

/** Objects that go with the calls: hints, exceptions, counts. */
final class Values {
    private Values() {}

    static void hints(Intracomm world) {
        Info info = new Info();
        info.set("one", "1");
        info.set("two", "2");
        info.set("one", "uno");
        Check.equal("size", info.size(), 2);
        Check.equal("value", info.get("one"), "uno");
        Check.equal("value of a key that is not there", info.get("three"), null);
        Check.equal("first key", info.getKey(0), "one");
        Info copy = info.dup();
        Info clone = info.clone();
        info.delete("one");
        Check.equal("size after delete", info.size(), 1);
        Check.equal("size of the copies", copy.size() + clone.size(), 4);
        info.free();
        Check.that(info.isNull() && !copy.isNull(), "only the freed one is null");
        Check.that(MPI.INFO_NULL.isNull(), "INFO_NULL is null");
    }

    static void wrongHints(Intracomm world) {
        Info info = new Info();
        Check.error(MPI.ERR_INFO_KEY, "set", () -> info.set("", "x"));
        Check.error(MPI.ERR_INFO_VALUE, "set", () -> info.set("x", null));
        Check.error(MPI.ERR_INFO_NOKEY, "delete", () -> info.delete("x"));
        Check.error(MPI.ERR_ARG, "getKey", () -> info.getKey(0));
        info.free();
        Check.error(MPI.ERR_INFO, "size", info::size);
    }

    static void exceptions(Intracomm world) {
        RuntimeException unchecked = new MPIException("a text");
        Check.equal("message", unchecked.getMessage(), "a text");
        Check.equal("class", new MPIException().getErrorClass(), MPI.ERR_OTHER);
        Throwable cause = new IllegalStateException("why");
        MPIException wrapped = new MPIException(cause);
        Check.equal("cause", wrapped.getCause(), cause);
        Check.equal("code", wrapped.getErrorCode(), MPI.ERR_OTHER);
    }

    static void version(Intracomm world) {
        Version version = MPI.getVersion();
        Check.equal("version", version.getVersion(), MPI.VERSION);
        Check.equal("subversion", version.getSubVersion(), MPI.SUBVERSION);
    }

    static void counts(Intracomm world) {
        Count count = new Count(1L << 40);
        Check.equal("count", count.getCount(), 1L << 40);
        count.setCount(3);
        Check.equal("equal counts", count.compareTo(new Count(3)), 0);
        Check.that(count.compareTo(new Count(4)) < 0, "3 is less than 4");
    }
}
