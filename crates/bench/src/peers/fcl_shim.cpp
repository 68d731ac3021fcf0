// FCL 0.7's distance between triangle meshes, and between a mesh and a point, as plain functions.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/math/bv/OBBRSS.h>
#include <fcl/narrowphase/distance.h>

namespace {

using Model = fcl::BVHModel<fcl::OBBRSSd>;

// A sphere of this radius stands for a point: paper 000's way, since FCL has no point.
constexpr double kPointRadius = 1e-6;

fcl::Transform3d transform(const double* pose) {
  fcl::Transform3d placed = fcl::Transform3d::Identity();
  placed.linear() = fcl::Quaterniond(pose[0], pose[1], pose[2], pose[3]).normalized().toRotationMatrix();
  placed.translation() = fcl::Vector3d(pose[4], pose[5], pose[6]);
  return placed;
}

void copy(const fcl::Vector3d& from, double* to) {
  for (int i = 0; i < 3; ++i) to[i] = from[i];
}

}  // namespace

extern "C" {

void* superegg_fcl_mesh(const double* vertices, std::size_t vertex_count, const std::uint32_t* triangles,
                        std::size_t triangle_count) {
  std::vector<fcl::Vector3d> points;
  points.reserve(vertex_count);
  for (std::size_t i = 0; i < vertex_count; ++i) {
    points.emplace_back(vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]);
  }
  std::vector<fcl::Triangle> faces;
  faces.reserve(triangle_count);
  for (std::size_t i = 0; i < triangle_count; ++i) {
    faces.emplace_back(triangles[3 * i], triangles[3 * i + 1], triangles[3 * i + 2]);
  }
  auto model = std::make_unique<std::shared_ptr<Model>>(std::make_shared<Model>());
  (*model)->beginModel();
  (*model)->addSubModel(points, faces);
  (*model)->endModel();
  return model.release();
}

void superegg_fcl_free(void* mesh) { delete static_cast<std::shared_ptr<Model>*>(mesh); }

double superegg_fcl_distance(const void* a, const double* pose_a, const void* b, const double* pose_b, double* points) {
  const auto& model_a = *static_cast<const std::shared_ptr<Model>*>(a);
  const auto& model_b = *static_cast<const std::shared_ptr<Model>*>(b);
  fcl::DistanceRequestd request(true);
  fcl::DistanceResultd result;
  const fcl::Transform3d place_a = transform(pose_a), place_b = transform(pose_b);
  fcl::distance(model_a.get(), place_a, model_b.get(), place_b, request, result);
  copy(result.nearest_points[0], points);
  copy(result.nearest_points[1], points + 3);
  return result.min_distance;
}

double superegg_fcl_nearest(const void* mesh, const double* point, double* nearest) {
  const auto& model = *static_cast<const std::shared_ptr<Model>*>(mesh);
  const fcl::Sphered sphere(kPointRadius);
  fcl::Transform3d place = fcl::Transform3d::Identity();
  place.translation() = fcl::Vector3d(point[0], point[1], point[2]);
  fcl::DistanceRequestd request(true);
  fcl::DistanceResultd result;
  fcl::distance(model.get(), fcl::Transform3d::Identity(), &sphere, place, request, result);
  copy(result.nearest_points[0], nearest);
  return result.min_distance;
}

}  // extern "C"
