package org.posthouse.conformance;

import java.util.Arrays;
import mpi.Comm;
import mpi.MPIException;

/** The cases' assertions, without a library: cases run in jobs too. Each throws an AssertionError that tells why. */
final class Check {
    private Check() {}

    /** Something that is expected to throw. */
    interface Call {
        void run();
    }

    static void that(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("expected: " + what);
        }
    }

    /** Compares values, and arrays by what is in them. */
    static void equal(String what, Object actual, Object expected) {
        if (!Arrays.deepEquals(new Object[] {actual}, new Object[] {expected})) {
            throw new AssertionError(what + " is " + text(actual) + ", expected " + text(expected));
        }
    }

    private static String text(Object value) {
        String text = Arrays.deepToString(new Object[] {value});
        return text.substring(1, text.length() - 1);
    }

    /** Requires an error of a class whose message names the call, and the calling rank in {@code comm}. */
    static void error(Comm comm, int errorClass, String call, Call body) {
        String rank = " at rank " + comm.Rank() + " of " + comm.Size() + " in ";
        MPIException error = error(errorClass, call, body);
        String message = error.getMessage();
        that(message.startsWith(call + rank), "the message \"" + message + "\" begins with " + call + rank);
    }

    /** Requires an error of a class whose message names the call. */
    static MPIException error(int errorClass, String call, Call body) {
        try {
            body.run();
        } catch (MPIException e) {
            equal("error class of \"" + e.getMessage() + "\"", e.getErrorClass(), errorClass);
            equal("error code", e.getErrorCode(), errorClass);
            that(e.getMessage().contains(call), "the message \"" + e.getMessage() + "\" names " + call);
            return e;
        }
        throw new AssertionError(call + " threw nothing, expected an error of class " + errorClass);
    }
}
