package org.posthouse.names.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.names.Alarm;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameFrontEnd;
import org.posthouse.names.NameRecord;

/** Judges that do not answer, and more calls than may wait for them. */
class RaftLimitTest {
    private static final Name NAME = Name.parse("a");

    @TempDir
    private Path folder;

    @Test
    void oneCallTooManyIsRefusedAtOnceAndTellsNothingOfTheJudges() throws Exception {
        try (JudgeGroup group = new JudgeGroup(folder, JudgeGroup.FAST)) {
            RaftNames names = group.near("site-1"); // None of the judges runs.
            List<String> states = new CopyOnWriteArrayList<>();
            NameFrontEnd frontEnd = new NameFrontEnd(names, "site-a", new NoAlarm(), Runnable::run, why -> states.add(why.orElse("answers")));
            for (int i = 0; i < RaftNames.CALLS_MAX; i++) {
                names.lookup(NAME);
            }
            CompletionStage<BoundName> refused = frontEnd.bind(NAME, NameRecord.of(Map.of()));
            NameException fault = (NameException) refused.toCompletableFuture().exceptionNow();
            assertThat(fault).hasMessageContaining("1024 calls to the judges under way");
            assertThat(fault.kind()).isEqualTo(NameException.Kind.UNAVAILABLE);
            assertThat(states).isEmpty();
        }
    }

    private static final class NoAlarm implements Alarm {
        @Override
        public void after(long millis, Runnable work) {}

        @Override
        public long now() {
            return 0;
        }
    }
}
