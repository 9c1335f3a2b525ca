package org.posthouse.status;

import java.util.List;

/**
 * The newest lines of a job's ranks that are at home at one relay. Immutable.
 *
 * @param lines   oldest first
 * @param older   lines that are kept and were asked for, but are older than these
 * @param dropped lines that are not kept any more, or that the launcher had no room for
 */
public record JobOutput(List<OutputLine> lines, long older, long dropped) {
    public JobOutput {
        lines = List.copyOf(lines);
    }
}
