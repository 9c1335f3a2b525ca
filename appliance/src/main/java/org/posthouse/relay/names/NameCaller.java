package org.posthouse.relay.names;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.NameAsk.Operation;

/** Who asks for names, and what he may. */
public sealed interface NameCaller {
    /** The relays' own records: who leads, who is a member. */
    Name GRID = Name.parse("vm");

    /** The relays' records of jobs. */
    Name JOBS = Name.parse("job");

    /** The names that programs publish. */
    Name PUBLISHED = Name.parse("mpi");

    /** The field of a published record that names its job, in hexadecimal digits. */
    String JOB = "job";

    /** Operations that change nothing. */
    Set<Operation> LOOKS = EnumSet.of(Operation.LOOKUP, Operation.LIST, Operation.LISTEN, Operation.STOP);

    /** @throws NameException of kind DENIED, if he may not do this with the name */
    void check(Operation operation, Name name);

    /** The record that he binds, with what the relay adds to it. */
    default NameRecord record(NameAsk ask) {
        return new NameRecord(new TreeMap<>(ask.fields()), ask.epoch());
    }

    /** @throws NameException of kind DENIED, if he may not take away what is bound */
    default void checkUnbind(BoundName bound) {}

    /** His job, if he is a rank. */
    default Optional<String> job() {
        return Optional.empty();
    }

    /** A launcher or a command, which has shown the relay's launch token. */
    record Launcher() implements NameCaller {
        @Override
        public void check(Operation operation, Name name) {
            boolean isOwn = name.isBelow(GRID) || name.isBelow(JOBS) || name.isBelow(PUBLISHED);
            if (isOwn && !LOOKS.contains(operation)) {
                throw denied(
                        name + " belongs to the relays and to running programs: names below " + GRID + ", " + JOBS + " and " + PUBLISHED + " are only read");
            }
        }

        @Override
        public String toString() {
            return "a launcher";
        }
    }

    /** An agent. */
    record Agent() implements NameCaller {
        @Override
        public void check(Operation operation, Name name) {
            if (!LOOKS.contains(operation)) {
                throw denied("an agent only reads names, and asked for " + operation + " of " + name);
            }
        }

        @Override
        public String toString() {
            return "an agent";
        }
    }

    /**
     * A rank, for its program's {@code publishName}, {@code lookupName} and {@code unpublishName}.
     *
     * @param jobId its job, in hexadecimal digits
     */
    record Rank(String jobId, int rank) implements NameCaller {
        private static final Set<Operation> MAY = EnumSet.of(Operation.BIND, Operation.LOOKUP, Operation.UNBIND);

        @Override
        public void check(Operation operation, Name name) {
            if (!MAY.contains(operation) || !name.isBelow(PUBLISHED)) {
                throw denied("a rank binds, looks up and unbinds names below " + PUBLISHED + ", and asked for " + operation + " of " + name);
            }
            if (operation == Operation.BIND && !isOwnMeeting(name.parts())) {
                throw denied(name + " is of a port or a joint job, and only the ranks of its own job bind it, not those of job " + jobId);
            }
        }

        /** Records by which jobs meet belong to one job each, which their names tell, but for that of a visitor ({@code mpi.JointRendezvous}). */
        private boolean isOwnMeeting(List<String> parts) {
            return switch (parts.size() < 2 ? "" : parts.get(1)) {
                case "_joint" -> parts.size() >= 4 && parts.get(3).equals(jobId);
                case "_port" ->
                        parts.size() == 4 && parts.get(3).equals("visitor") || parts.size() == 3 && parts.get(2).startsWith("posthouse-port-" + jobId + "-");
                default -> true;
            };
        }

        @Override
        public NameRecord record(NameAsk ask) {
            Map<String, String> fields = new TreeMap<>(ask.fields());
            fields.put(JOB, jobId);
            fields.put("rank", Integer.toString(rank));
            return NameRecord.of(fields);
        }

        @Override
        public void checkUnbind(BoundName bound) {
            if (!bound.record().field(JOB).equals(jobId)) {
                throw denied(bound.name() + " was published by job " + bound.record().field(JOB) + ", and only that job takes it back");
            }
        }

        @Override
        public Optional<String> job() {
            return Optional.of(jobId);
        }

        @Override
        public String toString() {
            return "rank " + rank + " of job " + jobId;
        }
    }

    private static NameException denied(String why) {
        return new NameException(NameException.Kind.DENIED, why);
    }
}
