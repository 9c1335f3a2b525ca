package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.StatePage;

/** What a rank remembers of a send that was taken back. */
@Timeout(60)
final class WithdrawnTest extends OneRank {
    WithdrawnTest() throws Exception {}

    /** Only in a job that is logged does anybody ask for it; each would be there for as long as the process. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void itIsRememberedWhereTheRankMayComeAgain(boolean logged) throws Exception {
        connect(Hello.firstStart(ScriptedRelay.JOB, 0), Settings.DEFAULT, ScriptedRelay.welcome(1, logged, 0, 0));
        CompletableFuture<Boolean> cancelled =
                start(() -> endpoint.cancel(endpoint.send(0, 2, TAG, Plain.content(Base.BYTE, new byte[1], 0, 1), SendMode.SYNCHRONOUS)));
        line.hear(FrameType.OFFER);
        line.say(ScriptedRelay.withdrawn(line.hear(FrameType.WITHDRAW), true));
        assertThat(cancelled.get()).isTrue();
        List<StatePage.Entry> remembered = new ArrayList<>();
        endpoint.accepted().gone(remembered);
        assertThat(remembered).hasSize(logged ? 1 : 0);
    }
}
