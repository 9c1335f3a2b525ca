package org.posthouse.examples;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import mpi.MPI;

/** What rank 0 tells the user, and how that becomes the status of the job: 0 verified, 1 not verified, 2 refused. */
final class Report {

    private static final int STATUS_NOT_VERIFIED = 1;
    private static final int STATUS_REFUSED = 2;

    private Report() {}

    /** Prints one formatted line. */
    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency
    static void line(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }

    /** Prints the figures of a NAS benchmark; {@code operations} is the benchmark's own count of them. */
    static void nas(String benchmark, Enum<?> problemClass, long size, int ranks, double seconds, double operations) {
        line("NAS %s benchmark", benchmark);
        line("Class: %s", problemClass.name());
        line("Size: %d", size);
        line("Ranks: %d", ranks);
        line("Time in seconds: %.3f", seconds);
        line("Mop/s: %.2f", operations / seconds / 1e6);
    }

    /** Prints the verdict; a wrong result ends all ranks with status 1. */
    static void verdict(boolean verified) {
        line("Verification: %s", verified ? "SUCCESSFUL" : "UNSUCCESSFUL");
        if (!verified) {
            System.out.flush();
            MPI.COMM_WORLD.Abort(STATUS_NOT_VERIFIED);
            throw new IllegalStateException("the result did not verify");
        }
    }

    /** What the user is told of an input that cannot be read or makes no sense: where it came from, and why. */
    static IllegalArgumentException unusable(String source, Exception why) {
        String text = why.getMessage();
        if (why instanceof NoSuchFileException) {
            text = "there is no such file, seen from " + Path.of("").toAbsolutePath();
        } else if (why instanceof CharacterCodingException) {
            text = "it is not a text in UTF-8";
        } else if (why instanceof IOException) {
            text = why.toString();
        }
        return new IllegalArgumentException(source + ": " + text, why);
    }

    /** Says why the job cannot run and ends all ranks with status 2; to be thrown, in case this rank lives on. */
    static IllegalArgumentException refuse(String program, String reason) {
        System.err.println(program + ": " + reason);
        System.err.flush();
        MPI.COMM_WORLD.Abort(STATUS_REFUSED);
        return new IllegalArgumentException(program + ": " + reason);
    }
}
