package org.posthouse.cli.option;

import org.posthouse.launch.job.Replicas;
import org.posthouse.wire.FailureMode;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** How many processes each rank has. */
public final class ReplicasOption {
    @Option(
            names = {"-r", "--replicas"},
            paramLabel = "DEGREE[:RANKS]",
            converter = Word.class,
            description = "Processes of each rank, or of these ranks only, such as 2:0,3,7-9. One leads and the others follow; if it"
                    + " dies, a follower leads at once, and another is started (default: 1).")
    private Replicas replicas = Replicas.NONE;

    /** As it was given; one process of each rank if it was not. */
    public Replicas replicas() {
        return replicas;
    }

    /**
     * Checks it against the options beside it.
     *
     * @param ranks number of the job's ranks
     * @param hasFolder whether another launcher is to be able to continue the job
     * @param isInOrder whether ranks are numbered in the order of their slots
     * @throws CommandFailure in one line
     */
    public void check(int ranks, boolean isLogged, FailureMode mode, int maxRestarts, boolean hasFolder, boolean isInOrder) throws CommandFailure {
        try {
            replicas.degrees(ranks);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure("-r " + replicas + ": " + e.getMessage(), e);
        }
        if (!replicas.areWanted()) {
            return;
        }
        String given = "-r " + replicas;
        if (mode.isTold()) {
            throw new CommandFailure(given + " and --on-failure " + mode.word() + ": a program that is told of deaths goes on without the dead,"
                    + " whose followers would go on too; leave one of the two out");
        }
        if (isLogged && (mode == FailureMode.ABORT || maxRestarts == 0)) {
            throw new CommandFailure(given + " and " + (maxRestarts == 0 ? "--max-restarts 0" : "--on-failure abort")
                    + ": the death of a process would end the job; leave one of the two out");
        }
        if (hasFolder) {
            throw new CommandFailure(given + " and --folder: another launcher cannot go on with followers; leave one of the two out");
        }
        if (!isInOrder && !replicas.ranks().isEmpty()) {
            throw new CommandFailure(given + " and --map-by: which ranks are replicated is decided before they are numbered; leave one of the two out");
        }
    }

    /** Reads a degree and ranks. */
    public static final class Word implements ITypeConverter<Replicas> {
        @Override
        public Replicas convert(String word) {
            try {
                return Replicas.of(word);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
