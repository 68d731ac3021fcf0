// Answers a data set of `superegg bench export` with DGD, the C++ library for growth distances between convex sets
// (https://github.com/HybridRobotics/differentiable-growth-distance). It needs nothing but DGD's headers and Eigen:
//
//   g++ -std=c++17 -O3 -march=native -DNDEBUG -I DGD/include -I /usr/include/eigen3 answer_pairs.cc -o answer_pairs
//   ./answer_pairs distance DATASET ANSWERS      then: superegg bench score DATASET ANSWERS
//   ./answer_pairs growth DATASET ANSWERS
//   ./answer_pairs collision DATASET ANSWERS
//
// `distance` asks DGD's `MinimumDistanceTpl`, a bisection for the margin at which the bodies just touch. Of bodies that
// overlap it says only that they do: those pairs stay without an answer. Times are of one thread, the least of three,
// bodies made before the clock starts.
//
// `growth` asks DGD's own question, the factor by which bodies have to be scaled about their centres to touch, by
// both of its solvers, cold and warm after a motion. It prints the mean time of a pair, the least of several rounds
// over all, and writes `growth,lower,upper` of the cold answers. It is asked of superellipsoids and ellipsoids, whose
// centres are the same here and there. `collision` asks whether the bodies overlap, and counts the answers that the
// bounds contradict.
//
// Ellipsoids, primitives and hulls are DGD's own sets. Superellipsoids, superovoids, points and triangles are sets of
// this file, derived from its `ConvexSet`: support functions, and for superellipsoids their second derivatives, which
// DGD's Newton steps take. The class `papers` is left out: its bodies are not all convex.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "dgd/geometry/3d/cone.h"
#include "dgd/geometry/3d/cuboid.h"
#include "dgd/geometry/3d/cylinder.h"
#include "dgd/geometry/3d/ellipsoid.h"
#include "dgd/geometry/3d/frustum.h"
#include "dgd/geometry/3d/polytope.h"
#include "dgd/geometry/xd/capsule.h"
#include "dgd/geometry/xd/sphere.h"
#include "dgd/solvers/bundle_scheme_impl.h"
#include "dgd/solvers/minimum_distance_impl.h"

namespace {

using dgd::ConvexSet;
using dgd::Transform3r;
using dgd::Vec3r;
using Derivatives = dgd::SupportFunctionDerivatives<3>;
using Hint = dgd::SupportFunctionHint<3>;
using Clock = std::chrono::steady_clock;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Tries of each pair, and rounds over all of them.
constexpr int kTries = 3;
constexpr int kRounds = 7;

// -----------------------------------------------------------------------------
// Sets of our own
// -----------------------------------------------------------------------------

// The q-norm of two numbers that are not negative, with its derivatives.
struct PlaneNorm {
  double value, by_u, by_v;
  double by_uu, by_uv, by_vv;

  PlaneNorm(double u, double v, double q) {
    const bool swap = v > u;
    if (swap) std::swap(u, v);
    if (u == 0.0) {
      value = by_u = by_v = 0.0;
      by_uu = by_uv = by_vv = kNan;
      return;
    }
    // All powers are of numbers up to 2: t = v/u, and 1 + t^q.
    const double t = v / u;
    const double t_power = std::pow(t, q - 1.0);
    const double sum = 1.0 + t * t_power;
    by_u = std::pow(sum, 1.0 / q - 1.0);
    by_v = t_power * by_u;
    value = u * sum * by_u;
    const double curvature = (q - 1.0) * by_u / (sum * u);
    by_uu = curvature * t * t_power;
    by_uv = -curvature * t_power;
    // Infinite at t = 0 on flat bodies (q < 2): said to be not differentiable by those who ask.
    by_vv = t > 0.0 ? curvature * t_power / t : (q > 2.0 ? 0.0 : q == 2.0 ? curvature : kNan);
    if (swap) {
      std::swap(by_u, by_v);
      std::swap(by_uu, by_vv);
    }
  }
};

// Radius of the ball in the octahedron between the ends of the axes.
double OctahedronRadius(const Vec3r& radii) { return 1.0 / radii.cwiseInverse().norm(); }

// A superellipsoid: its support function is the norm that is dual to its gauge, two plane norms in each other.
class Superellipsoid final : public ConvexSet<3> {
 public:
  explicit Superellipsoid(const double* p)
      : radii_(p[0], p[1], p[2]), q_xy_(2.0 / (2.0 - p[3])), q_z_(2.0 / (2.0 - p[4])) {
    // Flat ones hold the ellipsoid of the same radii.
    set_inradius(std::max(p[3], p[4]) <= 1.0 ? radii_.minCoeff() : OctahedronRadius(radii_));
  }

  double SupportFunction(const Vec3r& n, Vec3r& sp, Hint* = nullptr) const final {
    const Norms norms(*this, n);
    sp = norms.Point(*this, n);
    return norms.whole.value;
  }

  double SupportFunction(const Vec3r& n, Derivatives& d, Hint* = nullptr) const final {
    const Norms norms(*this, n);
    const auto& [across, whole] = norms;
    d.sp = norms.Point(*this, n);
    const Vec3r s = Signed(n, Vec3r::Ones());
    const auto entry = [&](int i, int j, double value) { d.d_sp_n(i, j) = d.d_sp_n(j, i) = s(i) * s(j) * value; };
    entry(0, 0, whole.by_uu * across.by_u * across.by_u + whole.by_u * across.by_uu);
    entry(0, 1, whole.by_uu * across.by_u * across.by_v + whole.by_u * across.by_uv);
    entry(1, 1, whole.by_uu * across.by_v * across.by_v + whole.by_u * across.by_vv);
    entry(0, 2, whole.by_uv * across.by_u);
    entry(1, 2, whole.by_uv * across.by_v);
    entry(2, 2, whole.by_vv);
    d.differentiable = d.d_sp_n.allFinite();
    return whole.value;
  }

  bool RequireUnitNormal() const final { return false; }

 private:
  // That of the section, and that of the section and the height.
  struct Norms {
    PlaneNorm across, whole;

    Norms(const Superellipsoid& body, const Vec3r& n)
        : across(std::abs(n(0) * body.radii_(0)), std::abs(n(1) * body.radii_(1)), body.q_xy_),
          whole(across.value, std::abs(n(2) * body.radii_(2)), body.q_z_) {}

    Vec3r Point(const Superellipsoid& body, const Vec3r& n) const {
      return body.Signed(n, Vec3r(whole.by_u * across.by_u, whole.by_u * across.by_v, whole.by_v));
    }
  };

  // From the octant of positive coordinates and unit radii to the body.
  Vec3r Signed(const Vec3r& n, const Vec3r& v) const {
    return {std::copysign(radii_(0) * v(0), n(0)), std::copysign(radii_(1) * v(1), n(1)),
            std::copysign(radii_(2) * v(2), n(2))};
  }

  const Vec3r radii_;
  const double q_xy_, q_z_;
};

// A convex superovoid. Its sections are superellipses scaled by 1 + taper * s at the height s, so that the support
// value is the largest, over the profile r^p + |s|^p = 1, of r M(s) + w s with M the norm of a section. The best
// place in the profile is where its normal is along (M, w + r M'), found by the secant method between signs for the
// angle of the place.
class Superovoid final : public ConvexSet<3> {
 public:
  explicit Superovoid(const double* p)
      : radii_(p[0], p[1], p[2]), q_xy_(2.0 / (2.0 - p[3])), e_z_(p[4]), from_normal_(1.0 / (2.0 - p[4])),
        taper_x_(p[5]), taper_y_(p[6]) {
    set_inradius(OctahedronRadius(radii_));
  }

  double SupportFunction(const Vec3r& n, Vec3r& sp, Hint* = nullptr) const final {
    const Vec3r scaled = n.cwiseProduct(radii_);
    const double u = std::abs(scaled(0)), v = std::abs(scaled(1)), w = scaled(2);
    double angle = 0.0, low = -kQuarterTurn, high = kQuarterTurn, last_angle = kNan, last_change = kNan;
    double s = 0.0, r = 1.0;
    PlaneNorm section(u, v, q_xy_);
    for (int step = 0; step < 60; ++step) {
      const double across = section.value;
      const double along = w + r * (section.by_u * u * taper_x_ + section.by_v * v * taper_y_);
      // Where the profile's normal has this direction.
      const double target =
          std::copysign(std::atan2(std::pow(std::abs(along), from_normal_), std::pow(across, from_normal_)), along);
      const double change = target - angle;
      // What is missing counts by its square.
      if (std::abs(change) < 1e-10 || high - low < 1e-15) break;
      (change > 0.0 ? low : high) = angle;
      double next = step == 0 ? target : angle - change * (angle - last_angle) / (change - last_change);
      if (!(next > low && next < high)) next = target > low && target < high ? target : 0.5 * (low + high);
      last_angle = angle;
      last_change = change;
      angle = next;
      s = std::copysign(std::pow(std::abs(std::sin(angle)), e_z_), angle);
      r = std::pow(std::cos(angle), e_z_);
      section = PlaneNorm(u * (1.0 + taper_x_ * s), v * (1.0 + taper_y_ * s), q_xy_);
    }
    sp = Vec3r(std::copysign(radii_(0) * (1.0 + taper_x_ * s) * r * section.by_u, n(0)),
               std::copysign(radii_(1) * (1.0 + taper_y_ * s) * r * section.by_v, n(1)), radii_(2) * s);
    return n.dot(sp);
  }

  bool RequireUnitNormal() const final { return false; }

 private:
  static constexpr double kQuarterTurn = 1.5707963267948966;

  const Vec3r radii_;
  const double q_xy_, e_z_, from_normal_, taper_x_, taper_y_;
};

// A point or triangle: the corners about their mean. It has no inside, so its partner has to.
class Corners final : public ConvexSet<3> {
 public:
  explicit Corners(std::vector<Vec3r> corners) : corners_(std::move(corners)) {}

  double SupportFunction(const Vec3r& n, Vec3r& sp, Hint* = nullptr) const final {
    double best = -std::numeric_limits<double>::infinity();
    for (const Vec3r& corner : corners_) {
      const double height = n.dot(corner);
      if (height > best) {
        best = height;
        sp = corner;
      }
    }
    return best;
  }

  bool RequireUnitNormal() const final { return false; }

 private:
  const std::vector<Vec3r> corners_;
};

// -----------------------------------------------------------------------------
// Bodies from the numbers of a data set
// -----------------------------------------------------------------------------

// A set, and where its own frame lies in the frame of the data set.
template <class Set>
struct Body {
  std::unique_ptr<Set> set;
  Transform3r frame = Transform3r::Identity();
};

Body<Superellipsoid> MakeSuperellipsoid(const double* p, size_t) { return {std::make_unique<Superellipsoid>(p)}; }

Body<Superovoid> MakeSuperovoid(const double* p, size_t) { return {std::make_unique<Superovoid>(p)}; }

Body<dgd::Ellipsoid> MakeEllipsoid(const double* p, size_t) {
  return {std::make_unique<dgd::Ellipsoid>(p[0], p[1], p[2])};
}

// The corners about their mean, which is returned.
Vec3r CentreCorners(const double* p, size_t count, std::vector<Vec3r>& corners) {
  Vec3r mean = Vec3r::Zero();
  for (size_t i = 0; i + 2 < count; i += 3) {
    corners.emplace_back(p[i], p[i + 1], p[i + 2]);
    mean += corners.back();
  }
  mean /= static_cast<double>(corners.size());
  for (Vec3r& corner : corners) corner -= mean;
  return mean;
}

Body<Corners> MakeCorners(const double* p, size_t count) {
  std::vector<Vec3r> corners;
  Body<Corners> body;
  dgd::Affine(body.frame) = CentreCorners(p, count, corners);
  body.set = std::make_unique<Corners>(std::move(corners));
  return body;
}

// The largest ball about the origin in the hull of a few corners: every plane through three of them that has all on
// one side is the plane of a face.
double HullRadius(const std::vector<Vec3r>& corners) {
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < corners.size(); ++i) {
    for (size_t j = i + 1; j < corners.size(); ++j) {
      for (size_t k = j + 1; k < corners.size(); ++k) {
        const Vec3r normal = (corners[j] - corners[i]).cross(corners[k] - corners[i]).normalized();
        const double offset = normal.dot(corners[i]);
        double above = 0.0, below = 0.0;
        for (const Vec3r& corner : corners) {
          above = std::max(above, normal.dot(corner) - offset);
          below = std::max(below, offset - normal.dot(corner));
        }
        if (std::min(above, below) < 1e-12) least = std::min(least, std::abs(offset));
      }
    }
  }
  return least;
}

Body<dgd::Polytope> MakeHull(const double* p, size_t count) {
  std::vector<Vec3r> corners;
  Body<dgd::Polytope> body;
  dgd::Affine(body.frame) = CentreCorners(p, count, corners);
  const double inradius = HullRadius(corners);
  body.set = std::make_unique<dgd::Polytope>(std::move(corners), inradius);
  return body;
}

// One of DGD's own primitives; its margin is our rounding.
Body<ConvexSet<3>> MakePrimitive(const double* p, size_t) {
  const int code = static_cast<int>(p[0]);
  const double x = p[1], y = p[2], z = p[3], rounding = p[4];
  Body<ConvexSet<3>> body;
  const auto turn_x_to_z = [&body] {
    dgd::Linear(body.frame) << 0, 0, -1, 0, 1, 0, 1, 0, 0;
  };
  if (code == 0 && x == 0.0) {
    body.set = std::make_unique<dgd::Sphere>(rounding);
  } else if (code == 0) {
    body.set = std::make_unique<dgd::Capsule>(x, rounding);
    turn_x_to_z();
  } else if (code == 1) {
    body.set = std::make_unique<dgd::Cuboid>(x, y, z, rounding);
  } else if (code == 2 && x == y) {
    body.set = std::make_unique<dgd::Cylinder>(z, x, rounding);
    turn_x_to_z();
  } else if (code == 2 && y == 0.0) {
    auto cone = std::make_unique<dgd::Cone>(x, 2.0 * z, rounding);
    dgd::Affine(body.frame)(2) = cone->offset() - z;
    body.set = std::move(cone);
  } else if (code == 2) {
    auto frustum = std::make_unique<dgd::Frustum>(x, y, 2.0 * z, rounding);
    dgd::Affine(body.frame)(2) = frustum->offset() - z;
    body.set = std::move(frustum);
  } else {
    throw std::runtime_error("no primitive has the code " + std::to_string(p[0]));
  }
  return body;
}

// -----------------------------------------------------------------------------
// The binary form of a data set
// -----------------------------------------------------------------------------

struct Field {
  size_t offset, count;
};

// Stands for as many numbers as there are coordinates of corners.
constexpr size_t kCorners = 0;

// A file of pairs, whole.
struct Table {
  std::string name, path;
  std::map<std::string, Field> fields;
  size_t rows = 0, width = 0;
  std::vector<double> numbers;

  [[noreturn]] void Fail(const std::string& reason) const { throw std::runtime_error(path + ": " + reason); }

  // A field of so many numbers, or of any multiple of three for corners.
  const Field& Get(const std::string& field, size_t count) const {
    const auto found = fields.find(field);
    if (found == fields.end()) Fail("has no field " + field);
    const size_t given = found->second.count;
    if (count == kCorners ? given % 3 != 0 : given != count) Fail("the field " + field + " has another length");
    return found->second;
  }

  explicit Table(const std::string& from) : path(from) {
    static_assert(sizeof(double) == 8, "numbers of 8 bytes");
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) Fail("cannot be opened");
    std::vector<char> bytes(static_cast<size_t>(file.tellg()));
    file.seekg(0);
    if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) Fail("cannot be read");
    size_t at = 0, end = bytes.size();
    const auto integer = [&](size_t size) {
      if (end - at < size) Fail("ends within its header");
      uint64_t value = 0;
      for (size_t i = 0; i < size; ++i) value |= uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
      at += size;
      return value;
    };
    const auto text = [&] {
      const uint64_t size = integer(4);
      if (end - at < size) Fail("ends within its header");
      at += size;
      return std::string(bytes.data() + at - size, size);
    };
    if (bytes.size() < 8 || std::memcmp(bytes.data(), "SUPEREGG", 8) != 0) Fail("is not a file of pairs");
    at = 8;
    if (const uint64_t version = integer(4); version != 1) Fail("has version " + std::to_string(version) + ", not 1");
    const uint64_t header = integer(4);
    if (header > bytes.size()) Fail("ends within its header");
    end = header;
    rows = integer(8);
    width = integer(4);
    const uint64_t count = integer(4);
    name = text();
    if (name != std::filesystem::path(path).stem()) Fail("holds the class " + name);
    for (uint64_t i = 0; i < count; ++i) {
      const std::string field = text();
      const size_t offset = integer(4), size = integer(4);
      if (size == 0 || offset + size > width) Fail("the field " + field + " lies outside of a row");
      fields[field] = {offset, size};
    }
    const size_t room = bytes.size() - header;
    if (width == 0 || room % (8 * width) != 0 || room / (8 * width) != rows) {
      Fail("does not hold the rows it announces");
    }
    // Little-endian, as the machines that this is built for.
    numbers.resize(rows * width);
    std::memcpy(numbers.data(), bytes.data() + header, room);
  }
};

Transform3r Pose(const double* position, const double* orientation) {
  Transform3r pose = Transform3r::Identity();
  // Eigen's constructor takes w first.
  const Eigen::Quaterniond turn(orientation[3], orientation[0], orientation[1], orientation[2]);
  dgd::Linear(pose) = turn.normalized().toRotationMatrix();
  dgd::Affine(pose) = Eigen::Map<const Vec3r>(position);
  return pose;
}

template <class A, class B>
struct Pair {
  std::unique_ptr<A> a;
  std::unique_ptr<B> b;
  Transform3r pose_a, pose_b;
};

// What the parameters of a body are called, how many there are, and what they make.
template <class Set>
struct Maker {
  std::string key;
  size_t count;
  Body<Set> (*make)(const double*, size_t);
};

template <class A, class B>
std::vector<Pair<A, B>> MakePairs(const Table& table, const Maker<A>& maker_a, const Maker<B>& maker_b) {
  const Field of_a = table.Get("a_" + maker_a.key, maker_a.count), of_b = table.Get("b_" + maker_b.key, maker_b.count);
  const size_t place_a = table.Get("a_position", 3).offset, place_b = table.Get("b_position", 3).offset;
  const size_t turn_a = table.Get("a_orientation", 4).offset, turn_b = table.Get("b_orientation", 4).offset;
  std::vector<Pair<A, B>> pairs;
  for (size_t row = 0; row < table.rows; ++row) {
    const double* n = table.numbers.data() + row * table.width;
    try {
      Body<A> a = maker_a.make(n + of_a.offset, of_a.count);
      Body<B> b = maker_b.make(n + of_b.offset, of_b.count);
      const Transform3r pose_a = Pose(n + place_a, n + turn_a) * a.frame;
      const Transform3r pose_b = Pose(n + place_b, n + turn_b) * b.frame;
      pairs.push_back({std::move(a.set), std::move(b.set), pose_a, pose_b});
    } catch (const std::exception& error) {
      table.Fail("row " + std::to_string(row) + ": " + error.what());
    }
  }
  return pairs;
}

// -----------------------------------------------------------------------------
// Answers
// -----------------------------------------------------------------------------

double Seconds(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::ofstream Create(const std::filesystem::path& path) {
  std::ofstream file(path);
  if (!file) throw std::runtime_error(path.string() + ": cannot be written");
  file << std::setprecision(17);
  return file;
}

template <class A, class B>
void AnswerDistances(const Table& table, const std::vector<Pair<A, B>>& pairs, const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / (table.name + ".csv");
  std::ofstream file = Create(path);
  file << "distance,point_a_x,point_a_y,point_a_z,point_b_x,point_b_y,point_b_z,normal_x,normal_y,normal_z,seconds\n";
  const dgd::Settings settings;
  size_t apart = 0, unsettled = 0;
  double total = 0.0;
  for (const Pair<A, B>& pair : pairs) {
    dgd::DistanceOutput<3> out;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kTries; ++i) {
      const auto start = Clock::now();
      dgd::MinimumDistanceTpl(pair.a.get(), pair.pose_a, pair.b.get(), pair.pose_b, settings, out);
      least = std::min(least, Seconds(start));
    }
    const bool settled = out.status == dgd::SolutionStatus::Optimal;
    if (out.min_dist <= 0.0) {
      // In overlap, as far as it can tell, or refused.
      for (int i = 0; i < 10; ++i) file << "nan,";
      file << "nan\n";
      continue;
    }
    ++apart;
    unsettled += settled ? 0 : 1;
    total += least;
    file << out.min_dist << ',';
    for (const Vec3r& v : {out.z1, out.z2, out.normal}) file << v(0) << ',' << v(1) << ',' << v(2) << ',';
    file << least << '\n';
  }
  if (!file.flush()) throw std::runtime_error(path.string() + ": cannot be written");
  std::cout << table.name << ": " << apart << " of " << pairs.size() << " apart, " << unsettled
            << " not to its tolerance, " << 1e6 * total / static_cast<double>(std::max<size_t>(apart, 1)) << " us\n";
}

// A way to ask for a growth distance.
struct Way {
  const char* name;
  bool newton, warm;
  dgd::WarmStartType start;
};

// Cold answers to all pairs, then those after a motion of b by a hundredth of the distance between the origins and of
// a radian.
template <class A, class B>
void AnswerGrowth(const Table& table, const std::vector<Pair<A, B>>& pairs, const std::filesystem::path& folder) {
  const std::array<Way, 6> ways = {{
      {"Newton, cold", true, false, dgd::WarmStartType::Primal},
      {"cutting planes, cold", false, false, dgd::WarmStartType::Primal},
      {"Newton, warm (primal)", true, true, dgd::WarmStartType::Primal},
      {"Newton, warm (dual)", true, true, dgd::WarmStartType::Dual},
      {"cutting planes, warm (primal)", false, true, dgd::WarmStartType::Primal},
      {"cutting planes, warm (dual)", false, true, dgd::WarmStartType::Dual},
  }};
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const auto direction = [&] { return Vec3r(normal(random), normal(random), normal(random)).normalized().eval(); };
  std::vector<Transform3r> moved;
  for (const Pair<A, B>& pair : pairs) {
    Transform3r pose = pair.pose_b;
    dgd::Linear(pose) = Eigen::AngleAxisd(0.01, direction()).toRotationMatrix() * dgd::Linear(pair.pose_b);
    dgd::Affine(pose) += 0.01 * (dgd::Affine(pair.pose_b) - dgd::Affine(pair.pose_a)).norm() * direction();
    moved.push_back(pose);
  }
  std::vector<dgd::Output<3>> outputs(pairs.size());
  const auto pass = [&](const Way& way, bool after_motion) {
    dgd::Settings settings;
    settings.ws_type = way.start;
    for (size_t i = 0; i < pairs.size(); ++i) {
      const Pair<A, B>& pair = pairs[i];
      const Transform3r& pose_b = after_motion ? moved[i] : pair.pose_b;
      const bool warm = way.warm && after_motion;
      if (way.newton) {
        dgd::GrowthDistanceTrnTpl(pair.a.get(), pair.pose_a, pair.b.get(), pose_b, settings, outputs[i], warm);
      } else {
        dgd::GrowthDistanceCpTpl(pair.a.get(), pair.pose_a, pair.b.get(), pose_b, settings, outputs[i], warm);
      }
    }
  };
  // What the warm answers are compared with.
  pass(ways[0], true);
  const std::vector<dgd::Output<3>> after = outputs;
  for (const Way& way : ways) {
    double least = std::numeric_limits<double>::infinity();
    for (int round = 0; round < kRounds; ++round) {
      if (way.warm) pass(way, false);
      const auto start = Clock::now();
      pass(way, way.warm);
      least = std::min(least, Seconds(start));
    }
    double steps = 0.0, difference = 0.0, gap = 0.0;
    size_t unsettled = 0;
    for (size_t i = 0; i < pairs.size(); ++i) {
      const dgd::Output<3>& out = outputs[i];
      steps += out.iter;
      if (out.status != dgd::SolutionStatus::Optimal) {
        ++unsettled;
        continue;
      }
      gap = std::max(gap, out.growth_dist_ub - out.growth_dist_lb);
      if (way.warm && after[i].status == dgd::SolutionStatus::Optimal) {
        difference = std::max(difference, std::abs(out.growth_dist_lb - after[i].growth_dist_lb));
      }
    }
    const double count = static_cast<double>(std::max<size_t>(pairs.size(), 1));
    std::cout << table.name << ", " << way.name << ": " << 1e6 * least / count << " us, " << steps / count << " steps, "
              << unsettled << " not settled, widest bounds " << gap;
    if (way.warm) std::cout << ", largest difference from cold " << difference;
    std::cout << '\n';
    if (&way == &ways[0]) {
      const std::filesystem::path path = folder / (table.name + ".csv");
      std::ofstream file = Create(path);
      file << "growth,lower,upper\n";
      for (const dgd::Output<3>& out : outputs) {
        const bool settled = out.status == dgd::SolutionStatus::Optimal;
        file << (settled ? out.growth_dist_lb : kNan) << ',' << out.growth_dist_lb << ',' << out.growth_dist_ub << '\n';
      }
      if (!file.flush()) throw std::runtime_error(path.string() + ": cannot be written");
    }
  }
}

// Whether they overlap, judged by the certified bounds.
template <class A, class B>
void AnswerCollisions(const Table& table, const std::vector<Pair<A, B>>& pairs, const std::filesystem::path& folder) {
  std::vector<char> collides(pairs.size());
  const dgd::Settings settings;
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    dgd::Output<3> out;
    const auto start = Clock::now();
    for (size_t i = 0; i < pairs.size(); ++i) {
      const Pair<A, B>& pair = pairs[i];
      collides[i] = dgd::DetectCollisionTpl(pair.a.get(), pair.pose_a, pair.b.get(), pair.pose_b, settings, out);
    }
    least = std::min(least, Seconds(start));
  }
  const size_t lower = table.Get("lower", 1).offset, upper = table.Get("upper", 1).offset;
  const std::filesystem::path path = folder / (table.name + ".csv");
  std::ofstream file = Create(path);
  file << "collides\n";
  size_t wrong = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const double* n = table.numbers.data() + i * table.width;
    wrong += collides[i] ? n[lower] > 0.0 : n[upper] < 0.0;
    file << (collides[i] ? "1\n" : "0\n");
  }
  if (!file.flush()) throw std::runtime_error(path.string() + ": cannot be written");
  const double count = static_cast<double>(std::max<size_t>(pairs.size(), 1));
  std::cout << table.name << ", collision: " << 1e6 * least / count << " us, " << wrong << " wrong\n";
}

void AnswerClass(const std::string& question, const Table& table, const std::filesystem::path& folder) {
  const Maker<Superellipsoid> superellipsoid{"radii_exponents", 5, MakeSuperellipsoid};
  const Maker<dgd::Ellipsoid> ellipsoid{"radii_exponents", 5, MakeEllipsoid};
  const Maker<Superovoid> superovoid{"radii_exponents_taper", 7, MakeSuperovoid};
  const Maker<ConvexSet<3>> primitive{"primitive", 5, MakePrimitive};
  const Maker<dgd::Polytope> hull{"corners", kCorners, MakeHull};
  const Maker<Corners> corners{"corners", kCorners, MakeCorners};
  const auto answer = [&](const auto& a, const auto& b) {
    const auto pairs = MakePairs(table, a, b);
    question == "distance" ? AnswerDistances(table, pairs, folder) : AnswerCollisions(table, pairs, folder);
  };
  const auto grow = [&](const auto& a, const auto& b) { AnswerGrowth(table, MakePairs(table, a, b), folder); };
  const std::string kind = table.name.substr(0, table.name.find('_'));
  const bool growth = question == "growth";
  if (kind == "superellipsoids") {
    growth ? grow(superellipsoid, superellipsoid) : answer(superellipsoid, superellipsoid);
  } else if (kind == "ellipsoids") {
    growth ? grow(ellipsoid, ellipsoid) : answer(ellipsoid, ellipsoid);
  } else if (kind == "superovoids" && !growth) {
    answer(superovoid, superovoid);
  } else if (kind == "primitives" && !growth) {
    answer(primitive, primitive);
  } else if (kind == "hulls" && !growth) {
    answer(hull, hull);
  } else if ((kind == "points" || kind == "triangles") && !growth) {
    answer(superellipsoid, corners);
  } else {
    std::cout << table.name << ": left out\n";
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string question = count == 4 ? arguments[1] : "";
  if (question != "distance" && question != "growth" && question != "collision") {
    std::cerr << "usage: answer_pairs distance|growth|collision DATASET ANSWERS\n";
    return 2;
  }
  try {
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(arguments[2])) {
      if (entry.path().extension() == ".bin") files.insert(entry.path());
    }
    if (files.empty()) throw std::runtime_error(std::string(arguments[2]) + ": holds no files of pairs (.bin)");
    std::filesystem::create_directories(arguments[3]);
    for (const auto& path : files) {
      AnswerClass(question, Table(path.string()), arguments[3]);
    }
  } catch (const std::exception& error) {
    std::cerr << "answer_pairs: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
