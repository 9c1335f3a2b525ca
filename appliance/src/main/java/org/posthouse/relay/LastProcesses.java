package org.posthouse.relay;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.posthouse.status.RankStatus;

/** The processes that stand for a job's ranks, where the dead get new ones with numbers of their own (ADR 112). In other jobs each rank has one. */
final class LastProcesses {
    private LastProcesses() {}

    /** Of each rank the last process that has come, or the first one while none has, under its own number. In the order of the ranks. */
    static List<RankStatus> of(int ranks, List<RankStatus> processes) {
        Map<Integer, RankStatus> last = new TreeMap<>();
        processes.stream()
                .filter(process -> process.rank() < ranks || process.state() != RankStatus.State.WAITING)
                .sorted(Comparator.comparingInt(RankStatus::rank))
                .forEach(process -> last.put(process.rank() % ranks, process));
        return List.copyOf(last.values());
    }

    /** The same processes under the numbers of their ranks. */
    static List<RankStatus> asRanks(int ranks, List<RankStatus> processes) {
        return processes.stream().map(process -> process.rank() < ranks ? process : process.numbered(process.rank() % ranks)).toList();
    }
}
