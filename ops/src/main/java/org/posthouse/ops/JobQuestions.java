package org.posthouse.ops;

import io.vertx.core.Future;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.posthouse.status.JobActivity;
import org.posthouse.status.JobOutput;
import org.posthouse.status.JobStatus;
import org.posthouse.status.RankStatus;
import org.posthouse.status.RelayEvent;

/**
 * What only the home relays of a job's ranks know: its communication matrix, its timeline, and who waits for whom. All
 * homes are asked at once, those of other processes over links. Confined to the console's event loop.
 */
final class JobQuestions {
    private final Supplier<List<RelayView>> views;
    private final GridStatus grid;
    private final EventBoard events;

    JobQuestions(Supplier<List<RelayView>> views, GridStatus grid, EventBoard events) {
        this.views = views;
        this.grid = grid;
        this.events = events;
    }

    /** Who has sent how much to whom. */
    Future<JobMatrix> matrix(JobStatus job) {
        return ask(job, view -> view.traffic(job.id()), PeerQueries.traffic(job.id()), PeerJson.Pairs.class, PeerJson.Pairs::pairs)
                .map(answers -> JobMatrix.of(job, answers.told, answers.missing));
    }

    /** Who waits for whom. */
    Future<JobWaits> waits(JobStatus job) {
        return ask(job, view -> view.waits(job.id()), PeerQueries.waits(job.id()), PeerJson.Waits.class, PeerJson.Waits::waits)
                .map(answers -> JobWaits.of(job, answers.told.stream().flatMap(List::stream).toList(), answers.missing));
    }

    /** What each rank has done in the last minutes. */
    Future<JobTimeline> timeline(JobStatus job) {
        return ask(job, view -> view.activity(job.id()), PeerQueries.activity(job.id()), JobActivity.class, activity -> activity)
                .map(answers -> {
                    List<RelayEvent> marks = events.after(0, EventBoard.EVENTS_MAX, job.id(), "");
                    return JobTimeline.of(job, answers.told, marks, answers.missing);
                });
    }

    /** What they have printed last. */
    Future<JobLines> output(JobStatus job, OutputQuery query) {
        return ask(job, view -> view.output(query), query.words(), JobOutput.class, output -> output)
                .map(answers -> JobLines.of(job, query, answers.told, answers.missing));
    }

    /** The answers that came, and the homes that gave none. */
    private record Answers<T>(List<T> told, List<String> missing) {}

    private <T, A> Future<Answers<T>> ask(
            JobStatus job, Function<RelayView, Future<T>> here, String query, Class<A> kind, Function<A, T> content) {
        Map<String, Future<T>> asked = new TreeMap<>();
        for (RankStatus rank : job.ranks()) {
            asked.computeIfAbsent(rank.relay(), home -> view(home, here).orElseGet(() -> grid.ask(home, query).compose(answer -> read(answer, kind, content))));
        }
        return Future.join(new ArrayList<>(asked.values())).otherwiseEmpty().map(all -> {
            List<T> told = new ArrayList<>();
            List<String> missing = new ArrayList<>();
            asked.forEach((home, answer) -> {
                if (answer.succeeded()) {
                    told.add(answer.result());
                } else {
                    missing.add(home);
                }
            });
            return new Answers<>(told, missing);
        });
    }

    private <T> Optional<Future<T>> view(String home, Function<RelayView, Future<T>> question) {
        return views.get().stream().filter(view -> view.snapshot().relay().equals(home)).findFirst().map(question);
    }

    private static <T, A> Future<T> read(byte[] answer, Class<A> kind, Function<A, T> content) {
        try {
            return Future.succeededFuture(content.apply(PeerJson.read(answer, kind)));
        } catch (IOException e) {
            return Future.failedFuture(e);
        }
    }
}
