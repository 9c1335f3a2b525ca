package mpi;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import mpi.RecordedNames.Answer;
import org.posthouse.mpj.Endpoint;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;

/**
 * The names that programs publish their ports under, in the relays' name service, for all jobs of the grid. What was answered is recorded.
 */
final class PublishedNames {
    private static final String PREFIX = "mpi";
    private static final String PORT = "port";
    private static final int PART_CHARS_MAX = 64;
    private static final int PARTS_MAX = 7;

    private final Endpoint endpoint;

    PublishedNames(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    void publish(String service, String port) {
        String call = "publishName";
        requirePort(call, port);
        Answer outcome = ask(call, MPI.ERR_SERVICE, question(NameAsk.Operation.BIND, call, MPI.ERR_SERVICE, service, port));
        if (outcome.status() != NameAnswer.Status.DONE) {
            String other = port(outcome).isEmpty() ? "" : " for the port " + port(outcome);
            throw new MPIException(MPI.ERR_SERVICE, outcome.status() == NameAnswer.Status.ALREADY_BOUND
                    ? call + ": \"" + service + "\" is published already" + other + "; take another name, or have that program call unpublishName"
                    : call + ": \"" + service + "\": " + outcome.text());
        }
    }

    void unpublish(String service, String port) {
        String call = "unpublishName";
        requirePort(call, port);
        Answer found = ask(call, MPI.ERR_SERVICE, question(NameAsk.Operation.LOOKUP, call, MPI.ERR_SERVICE, service, ""));
        if (found.status() == NameAnswer.Status.DONE && !port(found).equals(port)) {
            throw new MPIException(MPI.ERR_SERVICE, call + ": \"" + service + "\" is " + (port(found).isEmpty() ? "not published" : "published for the port "
                    + port(found)) + ", and not for " + port);
        }
        // A process that died behind this has done it; the next one finds nothing and goes on.
        Answer gone = ask(call, MPI.ERR_SERVICE, question(NameAsk.Operation.UNBIND, call, MPI.ERR_SERVICE, service, ""));
        if (gone.status() != NameAnswer.Status.DONE) {
            throw new MPIException(MPI.ERR_SERVICE, call + ": \"" + service + "\": " + gone.text());
        }
    }

    String lookup(String service) {
        String call = "lookupName";
        Answer found = ask(call, MPI.ERR_NAME, question(NameAsk.Operation.LOOKUP, call, MPI.ERR_NAME, service, ""));
        if (found.status() != NameAnswer.Status.DONE || port(found).isEmpty()) {
            throw new MPIException(MPI.ERR_NAME, call + ": \"" + service + "\" " + (found.status() == NameAnswer.Status.DONE
                    ? "is not published in this grid; call lookupName again when its program has called publishName"
                    : "cannot be looked up: " + found.text()));
        }
        return port(found);
    }

    private static void requirePort(String call, String port) {
        if (port == null || port.isEmpty()) {
            throw new MPIException(MPI.ERR_PORT, call + ": the port has no name, expected what openPort returned");
        }
    }

    private static NameAsk question(NameAsk.Operation operation, String call, int errorClass, String service, String port) {
        SortedMap<String, String> fields = new TreeMap<>();
        if (!port.isEmpty()) {
            fields.put(PORT, port);
        }
        long version = operation == NameAsk.Operation.UNBIND ? -1 : 0;
        return new NameAsk(operation, name(call, errorClass, service), version, 0, 0, "", Collections.unmodifiableSortedMap(fields));
    }

    /** A service's name: what a part may not have is written as an underscore and two hexadecimal digits. */
    static String name(String call, int errorClass, String service) {
        StringBuilder letters = new StringBuilder();
        for (byte each : (service == null ? "" : service).getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (each & 0xff);
            boolean isPlain = c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '-';
            letters.append(isPlain ? String.valueOf(c) : String.format("_%02x", (int) c));
        }
        if (letters.length() == 0 || letters.length() > PARTS_MAX * PART_CHARS_MAX) {
            throw new MPIException(errorClass, call + ": a service name of " + letters.length() + " characters, expected 1 to " + PARTS_MAX * PART_CHARS_MAX
                    + " (each but A-Z, a-z, 0-9, '.' and '-' counts as three)");
        }
        List<String> parts = new ArrayList<>(List.of(PREFIX));
        for (int from = 0; from < letters.length(); from += PART_CHARS_MAX) {
            parts.add(letters.substring(from, Math.min(letters.length(), from + PART_CHARS_MAX)));
        }
        return String.join("/", parts);
    }

    private Answer ask(String call, int errorClass, NameAsk question) {
        return new RecordedNames(call, errorClass, endpoint).ask(question);
    }

    /** The port that was found; empty if none was. */
    private static String port(Answer answer) {
        return answer.found().map(fields -> fields.getOrDefault(PORT, "")).orElse("");
    }
}
