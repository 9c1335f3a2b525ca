package org.posthouse.launch.place;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.wire.FrameType;

@Timeout(10)
class ReportWindowTest {
    private final ReportWindow window = new ReportWindow();

    @Test
    void hasRoomAgainWhenTheOldestReportIsAnswered() {
        assertThat(window.hasRoom()).isTrue();
        window.add(FrameType.JOB_REPORT.bytesMax());
        assertThat(window.hasRoom()).isFalse();
        window.add(100);
        window.answered();
        assertThat(window.hasRoom()).isTrue();
    }

    @Test
    void isNotMadeLargerByAnswersToNothing() {
        window.answered();
        window.add(ReportWindow.BYTES_MAX);
        assertThat(window.hasRoom()).isFalse();
        window.answered();
        assertThat(window.hasRoom()).isTrue();
    }
}
