package org.posthouse.launch.remote;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.StageDisplay;
import org.posthouse.launch.stage.JobContent;
import org.posthouse.wire.StageAnswer;
import org.posthouse.wire.StageTaken;

/** Brings a job's content to its relays: to each once, to all at once. Thread-safe. */
public final class JobStaging implements AutoCloseable {
    private static final long LOOK_MS = 50;

    private final JobContent content;
    private final List<ContentUpload> uploads = new ArrayList<>();

    /** @param relays the names of the job's relays, in the order of its homes */
    public JobStaging(JobContent content, List<String> relays, AgentTransport lines) {
        this.content = content;
        for (int relay = 0; relay < relays.size(); relay++) {
            uploads.add(new ContentUpload(relay, relays.get(relay), content, lines));
        }
    }

    /** Returns when all relays have all. @throws JobFailure in one line, if one cannot have it */
    void run(StageDisplay display) throws JobFailure {
        AtomicReference<JobFailure> first = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (ContentUpload upload : uploads) {
            threads.add(Thread.ofVirtual().name("posthouse-stage").start(() -> {
                try {
                    upload.run();
                } catch (JobFailure e) {
                    first.compareAndSet(null, e);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
        }
        try {
            while (first.get() == null && threads.stream().anyMatch(Thread::isAlive)) {
                display.show(sum(uploads.stream().mapToLong(ContentUpload::bytesSent)), sum(uploads.stream().mapToLong(ContentUpload::bytesMissing)));
                for (Thread thread : threads) {
                    if (thread.isAlive()) {
                        thread.join(TimeUnit.MILLISECONDS.toMillis(LOOK_MS));
                        break;
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobFailure("interrupted while files were staged", e);
        } finally {
            threads.forEach(Thread::interrupt);
            display.end();
        }
        if (first.get() != null) {
            throw first.get();
        }
    }

    private static long sum(LongStream counts) {
        return counts.sum();
    }

    /** A relay is back: it may have lost what it had. */
    void again(int relay, Consumer<String> printer) {
        Thread.ofVirtual().name("posthouse-stage").start(() -> {
            try {
                uploads.get(relay).run();
            } catch (JobFailure e) {
                printer.accept(e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    void onAnswer(int relay, StageAnswer answer) {
        uploads.get(relay).onAnswer(answer);
    }

    void onTaken(int relay, StageTaken report) {
        uploads.get(relay).onTaken(report);
    }

    void lost(int relay, String why) {
        uploads.get(relay).lost(why);
    }

    @Override
    public void close() {
        content.close();
    }
}
